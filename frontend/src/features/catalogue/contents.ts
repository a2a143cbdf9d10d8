// What each kind of content is, to the compiler: its draft, what is stored, a row of its list. From the server's
// own document; nothing is described twice.
import type { components } from "../../api/schema.gen";
import type { ContentDefinition } from "./define";
import type { Kind } from "./kinds";

type Schemas = components["schemas"];

interface Shapes {
  categories: { draft: Schemas["Category"]; stored: Schemas["StoredCategory"]; row: Schemas["CategoryRow"] };
  movies: { draft: Schemas["Movie"]; stored: Schemas["StoredMovie"]; row: Schemas["MovieRow"] };
}

export type Draft<K extends Kind = Kind> = Shapes[K]["draft"];
export type Stored<K extends Kind = Kind> = Shapes[K]["stored"];
export type Row<K extends Kind = Kind> = Shapes[K]["row"];
export type Link = Schemas["Link"];

export interface Page<R> {
  content: R[];
  page: number;
  size: number;
  totalPages: number;
  totalElements: number;
}

/** Where each kind is defined; fetched when one of its pages is opened. */
export const definitions: { [K in Kind]: () => Promise<{ default: ContentDefinition<K> }> } = {
  categories: () => import("./contents/categories"),
  movies: () => import("./contents/movies"),
};
