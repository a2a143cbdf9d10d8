// What is downloaded once the first page is shown.
import { act, screen, waitFor } from "@testing-library/react";
import { http } from "msw";
import { expect, test, vi } from "vitest";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

test("the first page is shown once its rows are", async () => {
  const whenIdle = vi.fn(() => 1);
  vi.stubGlobal("requestIdleCallback", whenIdle);
  vi.stubGlobal("cancelIdleCallback", () => {});
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.get("/api/movies", async () => {
      await late;
      return undefined;
    }),
  );
  const { idle } = renderPage("/content/movies");
  expect(await screen.findByRole("heading", { level: 1, name: /Películas/ })).toBeVisible();
  await act(() => new Promise((done) => setTimeout(done, 200)));
  expect(whenIdle).not.toHaveBeenCalled();
  answer();
  await idle();
  expect(await screen.findByRole("link", { name: "Dune" })).toBeVisible();
  await waitFor(() => expect(whenIdle).toHaveBeenCalled());
  vi.unstubAllGlobals();
});

test("what waits for the first page is loaded when it is shown, and from then on at once", async () => {
  vi.resetModules();
  const { afterFirstPage, firstPageIsShown } = await import("../loading/firstPage");
  const load = vi.fn(async () => "loaded");
  const loading = afterFirstPage(load)();
  await act(async () => {});
  expect(load).not.toHaveBeenCalled();
  firstPageIsShown();
  expect(await loading).toBe("loaded");
  expect(await afterFirstPage(load)()).toBe("loaded");
});
