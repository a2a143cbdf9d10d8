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

test("a look-up leaves what was typed: before it, after the one before it, and where that one found nothing", () => {
  const draft = new Draft<DraftOf<"movies">>({ title: "", year: 2026, genres: ["DRAMA"] }, rules.Movie);
  draft.set("title", "Duna");
  draft.set("actors", " ");
  const first = fillIn(draft, { title: "Una", year: 1999, durationMinutes: 90, actors: "Ana" }, {});
  expect(Object.keys(first)).toEqual(["year", "durationMinutes", "actors"]);
  draft.set("durationMinutes", 95);
  draft.set("rating", 7);
  const second = fillIn(
    draft,
    { title: "Otra", year: 1980, rating: 8, durationMinutes: 120, genres: ["ACTION"] },
    first,
  );
  expect(Object.keys(second)).toEqual(["year", "genres"]);
  expect(draft.toPayload()).toMatchObject({
    title: "Duna",
    year: 1980,
    rating: 7,
    durationMinutes: 95,
    actors: null,
    genres: ["ACTION"],
  });
});
