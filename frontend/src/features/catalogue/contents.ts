// What each kind of content is, to the compiler: its draft, what is stored, a row of its list. From the server's
// own document; nothing is described twice.

import type { Kind } from "../../access/kinds";
import type { KindSchemas } from "../../api/kinds.gen";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

export type Draft<K extends Kind = Kind> = Schemas[KindSchemas[K]];
export type Stored<K extends Kind = Kind> = Schemas[`Stored${KindSchemas[K]}`];
export type Row<K extends Kind = Kind> = Schemas[`${KindSchemas[K]}Row`];
export type Link = Schemas["Link"];

/** Kinds whose items are played by their links. */
export type PlayableKind = { [K in Kind]: Draft<K> extends { links: readonly Link[] } ? K : never }[Kind];
