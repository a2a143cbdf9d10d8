// The kinds of content that the panel can edit, as far as menus and routes need to know them.
// Small on purpose: this is part of the first download. Types are in contents.ts, screens in contents/.
import type { Permission } from "../../access/permissions";

/** Each kind, and the word that its permissions begin with. */
const entities = {
  categories: "CATEGORY",
  "tv-guides": "TVGUIDE",
  "tv-channels": "TVCHANNEL",
  "radio-stations": "RADIOSTATION",
  documentaries: "DOCUMENTARY",
  movies: "MOVIE",
  concerts: "CONCERT",
  sports: "SPORT",
  "tv-shows": "TVSHOW",
} as const;

export type Kind = keyof typeof entities;
/** Kinds whose items are played by their links. */
export type PlayableKind = "movies" | "documentaries" | "concerts" | "sports";

export interface ContentEntry {
  kind: Kind;
  entity: (typeof entities)[Kind];
  /** Who may open the list. */
  openTo: readonly Permission[];
  /** Turning an item on or off. */
  toggle: Permission;
  /** Whether an item has a page that only shows it. */
  hasDetails: boolean;
}

const withDetails: readonly Kind[] = ["documentaries", "movies", "concerts", "tv-shows"];

function entryOf(kind: Kind): ContentEntry {
  const entity = entities[kind];
  return {
    kind,
    entity,
    openTo: [`${entity}_READ`],
    toggle: `${entity}_UPDATE`,
    hasDetails: withDetails.includes(kind),
    ...(kind === "categories" && {
      openTo: ["CATEGORY_READ", "CATEGORY_CREATE", "CATEGORY_UPDATE", "CATEGORY_DELETE"],
      toggle: "CATEGORY_TOGGLE_STATUS",
    }),
  };
}

export const kinds = Object.keys(entities) as Kind[];
export const contentEntries = Object.fromEntries(kinds.map((kind) => [kind, entryOf(kind)])) as Record<
  Kind,
  ContentEntry
>;
