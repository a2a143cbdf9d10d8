// The fields that only contents have, typed and fetched like all others (forms/fieldsOf.tsx).

import type { Kind } from "../../access/kinds";
import { fieldsOf, lazyField, typed } from "../../forms/fieldsOf";
import type { Draft, Link } from "./contents";

const Category = lazyField(async () => (await import("../../forms/StoredFields")).CategoryField);
const Categories = lazyField(async () => (await import("../../forms/StoredFields")).CategoriesField);
const Guide = lazyField(async () => (await import("../../forms/StoredFields")).GuideField);
const Links = lazyField(async () => (await import("./LinksEditor")).LinksEditor);

/** Every field that a kind of content can be written with. */
export function contentFieldsOf<K extends Kind>() {
  type D = Draft<K>;
  return {
    ...fieldsOf<D>(),
    Category: typed<D, number>()(Category),
    Categories: typed<D, readonly number[]>()(Categories),
    Guide: typed<D, number>()(Guide),
    Links: typed<D, readonly Link[]>()(Links),
  };
}
