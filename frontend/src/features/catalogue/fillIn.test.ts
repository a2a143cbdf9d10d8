import { expect, test } from "vitest";
import { rules } from "../../api/rules.gen";
import { Draft } from "../../forms/draft";
import type { Draft as DraftOf } from "./contents";
import { fillIn } from "./fillIn";

test("a look-up replaces what the one before it filled in, nothing that was changed since", () => {
  const draft = new Draft<DraftOf<"movies">>({ title: "", year: 2026, genres: ["DRAMA"] }, rules.Movie);
  const first = fillIn(draft, { title: "Una", year: 1999, rating: 8, durationMinutes: 90, genres: [] }, {});
  expect(Object.keys(first)).toEqual(["title", "year", "rating", "durationMinutes"]);
  expect(draft.get("genres")).toEqual(["DRAMA"]);
  draft.set("durationMinutes", 95);
  const second = fillIn(draft, { title: "Otra", genres: ["ACTION"] }, first);
  expect(draft.toPayload()).toMatchObject({
    title: "Otra",
    year: 2026,
    durationMinutes: 95,
    genres: ["ACTION"],
  });
  expect(draft.get("rating")).toBeUndefined();
  fillIn(draft, { year: 1980, genres: [] }, second);
  expect(draft.get("title")).toBe("");
  expect(draft.toPayload()).toMatchObject({ year: 1980, genres: ["DRAMA"] });
});
