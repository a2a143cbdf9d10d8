// The kinds of content, with the data that menus and routes need. Kept small: this is part of the first
// download. Kinds and their permissions come from the OpenAPI document; their screens are in features/catalogue/contents.
import { contentKinds } from "../api/kinds.gen";
import type { Permission } from "./permissions";

export type Kind = keyof typeof contentKinds;

export interface ContentEntry {
  kind: Kind;
  /** The word that its permissions begin with. */
  entity: (typeof contentKinds)[Kind]["entity"];
  /** The requirement for opening the list. */
  openTo: readonly Permission[];
  /** Turning an item on or off. */
  toggle: Permission;
  /** Whether an item has a page that only shows it (`Details` of its definition, which is not loaded here). */
  hasDetails: boolean;
}

const withDetails: readonly Kind[] = ["documentaries", "movies", "concerts", "tv-shows"];

function entryOf(kind: Kind): ContentEntry {
  const { entity, toggle } = contentKinds[kind];
  return {
    kind,
    entity,
    toggle,
    hasDetails: withDetails.includes(kind),
    openTo:
      kind === "categories"
        ? ["CATEGORY_READ", "CATEGORY_CREATE", "CATEGORY_UPDATE", "CATEGORY_DELETE"]
        : [`${entity}_READ`],
  };
}

export const kinds = Object.keys(contentKinds) as Kind[];
/** Whether a path is that of a kind of content. */
export function isKind(path: string): path is Kind {
  return (kinds as readonly string[]).includes(path);
}

export const contentEntries = Object.fromEntries(kinds.map((kind) => [kind, entryOf(kind)])) as Record<
  Kind,
  ContentEntry
>;
