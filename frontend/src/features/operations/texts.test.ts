import { expect, test } from "vitest";
import { loadTexts } from "../../i18n";
import type { Operation } from "../../operations/queries";
import { textOf } from "./texts";

const links = ["id", "tvGuideId", "epgId", "version"];

test.each([
  ["canales.csv", links, "Importa «canales.csv»"],
  ["EPG", links, "Enlaza canales con sus guías"],
  // The channels of a playlist source of this name.
  ["EPG", ["id", "channelNumber", "title", "epgId", "url", "version"], "Importa «EPG»"],
])("an operation with the file %s and the columns %j is called %s", async (fileName, columns, name) => {
  await loadTexts("operations");
  const operation = { resource: "tv-channels", import: { fileName, columns } } as Operation;
  expect(textOf(operation, () => () => undefined)).toBe(name);
});
