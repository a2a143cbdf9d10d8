import { expect, test } from "vitest";
import { loadTexts } from "../../i18n";
import type { Operation } from "../../operations/queries";
import { textOf } from "./texts";

test("an operation with a file says so, and one of the guide review what it does", async () => {
  await loadTexts("operations");
  const of = (fileName: string) =>
    textOf({ resource: "tv-channels", import: { fileName } } as Operation, () => () => undefined);
  expect(of("canales.csv")).toBe("Importa «canales.csv»");
  expect(of("EPG")).toBe("Enlaza canales con sus guías");
});
