import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { counts, operation, page, serveOperations } from "../testing/operations";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

test("a stopped operation says how many items it did not come to", async () => {
  const { operations } = serveOperations();
  server.use(http.get("/api/operations", () => HttpResponse.json(page([]))));
  operations.push(
    operation(1, { state: "CANCELLED", done: 3, total: 1240, counts: { ...counts, refused: 0 } }),
  );
  renderPage("/operations?operation=1");
  expect(await screen.findByText("1.237 sin procesar")).toBeVisible();
});
