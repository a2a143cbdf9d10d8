// What each kind of content is, to the compiler: its draft, what is stored, a row of its list. From the server's
// own document; nothing is described twice.
import type { components } from "../../api/schema.gen";
import { loadSeriesTexts } from "../../i18n";
import type { ContentDefinition } from "./define";
import type { Kind } from "./kinds";

type Schemas = components["schemas"];

/** What the server's document calls each kind. */
interface Names {
  categories: "Category";
  "tv-guides": "TvGuide";
  "tv-channels": "TvChannel";
  "radio-stations": "RadioStation";
  documentaries: "Documentary";
  movies: "Movie";
  concerts: "Concert";
  sports: "Sport";
  "tv-shows": "TvShow";
}

export type Draft<K extends Kind = Kind> = Schemas[Names[K]];
export type Stored<K extends Kind = Kind> = Schemas[`Stored${Names[K]}`];
export type Row<K extends Kind = Kind> = Schemas[`${Names[K]}Row`];
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
  "tv-guides": () => import("./contents/tv-guides"),
  "tv-channels": () => import("./contents/tv-channels"),
  "radio-stations": () => import("./contents/radio-stations"),
  documentaries: () => import("./contents/documentaries"),
  movies: () => import("./contents/movies"),
  concerts: () => import("./contents/concerts"),
  sports: () => import("./contents/sports"),
  "tv-shows": async () => {
    const [definition] = await Promise.all([import("./contents/tv-shows"), loadSeriesTexts()]);
    return definition;
  },
};
