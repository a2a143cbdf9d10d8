import { expect, test } from "vitest";
import { chooseLanguage, loadSeriesTexts } from "../i18n";
import { itemName } from "./itemName";

test.each([
  ["seasons", "3", "Temporada 3", "Season 3"],
  ["episodes", "S1E2: Pilot", "S1E2: Pilot", "S1E2: Pilot"],
  ["movies", "1917", "1917", "1917"],
  ["seasons", "", "", ""],
])("of %s, %j is %j", async (resource, title, spanish, english) => {
  await loadSeriesTexts();
  expect(itemName(resource, title)).toBe(spanish);
  await chooseLanguage("en");
  expect(itemName(resource, title)).toBe(english);
});
