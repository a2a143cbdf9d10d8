import { expect, it } from "vitest";
import { formOf } from "./paths";

it.each([
  [{ kind: "movies", id: 7, showId: null }, "/content/movies/7/edit"],
  [{ kind: "tv-guides", id: 7, showId: null }, "/content/tv-guide/7/edit"],
  [{ kind: "episodes", id: 7, showId: 3 }, "/content/tv-shows/3/episodes?episode=7"],
])("the form of %o is at %s", (item, path) => {
  expect(formOf(item)).toBe(path);
});
