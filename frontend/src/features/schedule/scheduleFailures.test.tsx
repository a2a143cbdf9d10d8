// «Programación»: what could not be read, beside what was, and how it is read again.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { answers, cell, close, day, days, scheduleBeforeEach } from "../../testing/schedule";
import { server } from "../../testing/server";

scheduleBeforeEach();

test("a channel that is gone by now says so instead of what it had", async () => {
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Ópera"));
  await screen.findByText("De qué va Ópera");
  await user.click(await close());
  answers.second = () => problem(404, { code: "NOT_FOUND", message: "No existe." });
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
  await user.click(await cell("Ópera"));
  const drawer = within(await screen.findByRole("dialog"));
  await drawer.findByText("No existe.");
  expect(drawer.queryByText("De qué va Ópera")).not.toBeInTheDocument();
});

test("a block that cannot be read leaves on the screen what was read, with the failure above it", async () => {
  // So wide that the next six hours are seen, too.
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(3_000);
  let isAway = true;
  server.use(
    http.get("/api/schedule", ({ request }) =>
      isAway && new URL(request.url).searchParams.get("from") === `${day}06:00:00.000Z`
        ? problem(400, { message: "Hoy no." })
        : undefined,
    ),
  );
  const { user } = renderPage("/content/guide?day=2026-11-20");
  const failure = () => screen.queryByRole("alert", { name: "Error al cargar la programación" });
  await vi.waitFor(() => expect(failure()).toBeInTheDocument());
  const first = await cell("Cine");
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await vi.waitFor(() => expect(failure()).not.toBeInTheDocument());
  expect(first).toBeInTheDocument();
});

test("on a phone, channels that cannot be read leave those that were read", async () => {
  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 640px"),
  }));
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(6_000);
  let isAway = true;
  server.use(
    http.get("/api/schedule", ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get("_page"));
      if (page === 1 && isAway) return problem(400, { message: "Hoy no." });
      const content = Array.from({ length: page === 1 ? 2 : 50 }, (_, index) => ({
        channelId: page * 50 + index + 1,
        channelNumber: page * 50 + index + 1,
        title: `Canal ${page * 50 + index + 1}`,
        without: "NO_GUIDE",
        programmes: [],
      }));
      return HttpResponse.json({ ...days, content, totalElements: 52 });
    }),
  );
  const { user } = renderPage("/content/guide");
  await screen.findByRole("alert", { name: "Error al cargar la programación" });
  const first = await screen.findByText("Canal 1");
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await screen.findByText("Canal 52");
  expect(first).toBeInTheDocument();
  expect(screen.queryByRole("alert", { name: "Error al cargar la programación" })).not.toBeInTheDocument();
});

test("categories that could not be loaded are said to be so, and are loaded again", async () => {
  const category = (id: number, name: string) => ({ id, description: name, englishDescription: name });
  server.use(
    http.get("/api/categories", () => problem(403, { message: "Hoy no." }), { once: true }),
    http.get("/api/categories", () =>
      HttpResponse.json({ content: [category(1, "Ópera"), category(2, "Cine")] }),
    ),
  );
  renderPage("/content/guide?day=2026-11-20");
  const field = await screen.findByRole("combobox", { name: "Categoría" });
  await waitFor(() => expect(field).toHaveAccessibleDescription("Error al cargar los datos"));
  fireEvent.click(screen.getByRole("button", { name: "Reintentar" }));
  await within(field).findByRole("option", { name: "Cine" });
  const names = within(field)
    .getAllByRole("option")
    .map((option) => option.textContent);
  expect(names.slice(1)).toEqual(["Cine", "Ópera"]);
});
