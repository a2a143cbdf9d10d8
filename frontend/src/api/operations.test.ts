// Checked by the compiler (`npm run check`): at run time these expectations do nothing.
import { expectTypeOf, test } from "vitest";
import type { CheckedPath, Operation, ResponseBody } from "./operations";
import type { Page } from "./page";
import type { DraftOf, ItemOf, Resource, RowOf } from "./resources";
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

test("a path that may be one of several is refused where one of them lacks the operation", () => {
  expectTypeOf<CheckedPath<"get", "/movies" | "/sports">>().toEqualTypeOf<"/movies" | "/sports">();
  expectTypeOf<CheckedPath<"get", "/movies" | "/nothing">>().toEqualTypeOf<"/movies">();
  expectTypeOf<CheckedPath<"put", `/movies/${number}/status`>>().toBeNever();
  expectTypeOf<CheckedPath<"patch", `/${"movies" | "sports"}/${number}/status`>>().not.toBeNever();
});

test("the types of a resource are those of its operations", () => {
  expectTypeOf<ResponseBody<Operation<"get", "/movies">>>().toExtend<Page<RowOf<"movies">>>();
  expectTypeOf<RowOf<"movies">>().toEqualTypeOf<Schemas["MovieRow"]>();
  expectTypeOf<ItemOf<"movies">>().toEqualTypeOf<Schemas["StoredMovie"]>();
  expectTypeOf<DraftOf<"movies">>().toEqualTypeOf<Schemas["Movie"]>();
  expectTypeOf<"app-settings">().not.toExtend<Resource>();
});
