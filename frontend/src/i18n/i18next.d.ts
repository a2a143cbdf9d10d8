import type door from "./door.es.json";
import type panel from "./es.json";

type Texts = Omit<typeof panel, "common"> &
  Omit<typeof door, "common"> & { common: typeof panel.common & typeof door.common };

// The Spanish files are the source of the keys: a key that they do not know is a type error. To the compiler both are
// one; which of the two a text comes from is a matter of when it is downloaded.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "door";
    resources: { door: Texts };
    returnNull: false;
  }
}
