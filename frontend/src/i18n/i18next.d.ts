import type es from "./es.json";

// es.json is the source of the keys: a key that it does not know is a type error.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof es };
    returnNull: false;
  }
}
