// What each kind of content is, to the compiler: its draft, what is stored, a row of its list. From the server's
// own document; nothing is described twice.

import type { Kind } from "../../access/kinds";
import type { DraftOf, ItemOf, RowOf } from "../../api/resources";
import type { components } from "../../api/schema.gen";

/** Kinds, and what belongs to a show: it has lists, and no pages of its own. */
export type ListedKind = Kind | "seasons" | "episodes";

export type Draft<K extends Kind = Kind> = DraftOf<K>;
export type Stored<K extends ListedKind = Kind> = ItemOf<K>;
export type Row<K extends ListedKind = Kind> = RowOf<K>;
export type Link = components["schemas"]["Link"];

/** Kinds whose items are played by their links. */
export type PlayableKind = { [K in Kind]: Draft<K> extends { links: readonly Link[] } ? K : never }[Kind];
