// The types of each kind of content: its draft, the stored item and a row of its list, from the OpenAPI
// document.

import type { Kind } from "../../access/kinds";
import type { DraftOf, ItemOf, RowOf } from "../../api/resources";
import type { components } from "../../api/schema.gen";

/** Kinds, and seasons and episodes, which have lists but no pages of their own. */
export type ListedKind = Kind | "seasons" | "episodes";

export type Draft<K extends Kind = Kind> = DraftOf<K>;
export type Stored<K extends ListedKind = Kind> = ItemOf<K>;
export type Row<K extends ListedKind = Kind> = RowOf<K>;
export type Link = components["schemas"]["Link"];

/** Kinds whose items are played by their links. */
export type PlayableKind = { [K in Kind]: Draft<K> extends { links: readonly Link[] } ? K : never }[Kind];
