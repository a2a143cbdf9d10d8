// The reason why a run changed nothing includes the limit, the status or the numbers.
import { beforeAll, expect, test } from "vitest";
import { chooseLanguage, loadTexts, startLanguages } from "../../i18n";
import type { Run } from "./queries";
import { faultOf } from "./RunBadge";

beforeAll(async () => {
  await startLanguages();
  await loadTexts("playlists");
});

const counts = { inUse: 249, lost: 120 } as Run["counts"];

test.each([
  [{ fault: null }, "", ""],
  [
    { fault: "STATUS", statusCode: 503 },
    "El servidor respondió con un error (HTTP 503)",
    "The server answered with an error (HTTP 503)",
  ],
  [
    { fault: "TOO_LARGE", limit: 50 },
    "La lista supera el tamaño máximo (50 MB)",
    "The playlist is larger than the limit (50 MB)",
  ],
  [
    { fault: "TOO_MANY_MISSING" },
    "Falta más del 30 % de las entradas en uso: 120 de 249",
    "More than 30% of the entries in use are missing: 120 of 249",
  ],
] as [Partial<Run>, string, string][])("%o", async (run, spanish, english) => {
  const text = () => faultOf({ counts, statusCode: null, limit: null, ...run } as Run);
  await chooseLanguage("es");
  expect(text()).toBe(spanish);
  await chooseLanguage("en");
  expect(text()).toBe(english);
  await chooseLanguage("es");
});
