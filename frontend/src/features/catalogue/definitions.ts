// The definition of each kind: the file of its name in contents/, fetched when one of its pages is opened.
import { type Kind, kinds } from "../../access/kinds";
import { loadTexts } from "../../i18n";
import type { ContentDefinition } from "./define";
import { ownTexts } from "./ownTexts";

type Loaded<K extends Kind> = { default: ContentDefinition<K> };
type Definitions = { [K in Kind]: () => Promise<Loaded<K>> };

const files = import.meta.glob("./contents/*.tsx");

function loadDefinition(kind: Kind) {
  const load = files[`./contents/${kind}.tsx`];
  if (!load) throw new Error(`contents/${kind}.tsx is missing`);
  const texts = ownTexts[kind];
  // Without names the library would wait for all texts that are being loaded.
  return async () => (await Promise.all([load(), texts && loadTexts(...texts)]))[0];
}

// A glob has no types: that each file defines the kind of its name is tested (kinds.test.tsx).
export const definitions = Object.fromEntries(
  kinds.map((kind) => [kind, loadDefinition(kind)]),
) as Definitions;
