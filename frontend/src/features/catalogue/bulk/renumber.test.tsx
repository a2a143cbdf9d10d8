// The form of a line-up.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend } from "../../../testing/backend";
import { losePage } from "../../../testing/leaving";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { server } from "../../../testing/server";

const channel = (id: number) => ({
  id,
  version: 1,
  channelNumber: id,
  title: `Canal ${id}`,
  categories: [],
  category: null,
  urlType: "EXTERNAL",
  url: `https://a.example/${id}`,
  active: true,
});

beforeEach(() => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVCHANNEL_READ", "TVCHANNEL_UPDATE"] };
  // Only rows that fit in the height are rendered.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(384);
  server.use(
    http.get("/api/tv-channels", () =>
      HttpResponse.json({
        content: [channel(1), channel(2), channel(3)],
        page: 0,
        size: 10,
        totalPages: 1,
        totalElements: 3,
      }),
    ),
    http.get("/api/channels-base-url", () => HttpResponse.json({ baseUrl: null })),
  );
});

test("numbers that are larger than a channel can have are said before anything is sent", async () => {
  const { user } = renderPage("/content/tv-channels");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar esta página" }));
  await user.click(await screen.findByRole("button", { name: "Renumerar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  const step = await dialog.findByLabelText("De … en …");
  // The live region exists before its message.
  const regions = [...document.querySelectorAll('[aria-live="assertive"]')];
  await user.clear(step);
  await user.type(step, "2000000000");
  expect(await dialog.findByRole("alert")).toHaveTextContent(
    "El último número sería 4.000.000.001. Un canal llega como máximo al 2.147.483.647.",
  );
  expect(regions).toContain(dialog.getByRole("alert").parentElement);
  expect(dialog.getByRole("button", { name: "Vista previa" })).toBeDisabled();
  await user.clear(step);
  await user.type(step, "5");
  expect(dialog.queryByRole("alert")).not.toBeInTheDocument();
  expect(dialog.getByRole("button", { name: "Vista previa" })).toBeEnabled();
});

test("a row that is moved leaves each category at its multiple, and its number is announced", async () => {
  const row = (id: number, category: string) => ({
    id,
    version: 1,
    channelNumber: id,
    title: `Canal ${id}`,
    categories: [],
    category: { id: 1, description: category, englishDescription: category },
    urlType: "EXTERNAL",
    url: `https://a.example/${id}`,
    active: true,
  });
  server.use(
    http.get("/api/tv-channels", () =>
      HttpResponse.json({
        content: [row(1, "Cine"), row(2, "Noticias"), row(3, "Noticias")],
        page: 0,
        size: 10,
        totalPages: 1,
        totalElements: 3,
      }),
    ),
  );
  const { user } = renderPage("/content/tv-channels");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar esta página" }));
  await user.click(await screen.findByRole("button", { name: "Renumerar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  const rows = () => dialog.getAllByRole("listitem").map((one) => one.textContent);
  await user.selectOptions(await dialog.findByLabelText("Orden"), "Por categoría");
  await user.selectOptions(dialog.getByLabelText("Cada categoría empieza en"), "Un múltiplo de 100");
  expect(rows()).toEqual(["1→1Canal 1Cine", "2→100Canal 2Noticias", "3→101Canal 3Noticias"]);
  dialog.getByRole("button", { name: "Mover «Canal 2»" }).focus();
  await user.keyboard("{ArrowDown}");
  expect(dialog.getByLabelText("Orden")).toHaveDisplayValue("A mano");
  expect(rows()).toEqual(["1→1Canal 1Cine", "3→100Canal 3Noticias", "2→101Canal 2Noticias"]);
  expect(dialog.getByText("«Canal 2»: puesto 3 de 3, número 101")).toBeInTheDocument();
  dialog.getByRole("button", { name: "Mover «Canal 1»" }).focus();
  await user.keyboard("{End}");
  expect(dialog.getByText("«Canal 1»: puesto 3 de 3, número 100")).toBeInTheDocument();
});

/** The form of 400 channels. */
async function openMany() {
  const all = Array.from({ length: 400 }, (_, index) => channel(index + 1));
  server.use(
    http.get("/api/tv-channels", ({ request }) =>
      HttpResponse.json({
        // The list has a page of three; the line-up reads all.
        content: new URL(request.url).searchParams.get("_size") === "1000" ? all : all.slice(0, 3),
        page: 0,
        size: 3,
        totalPages: 1,
        totalElements: all.length,
      }),
    ),
  );
  const { user } = renderPage("/content/tv-channels");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar esta página" }));
  await user.click(await screen.findByRole("button", { name: "Seleccionar los 400 que coinciden" }));
  await user.click(await screen.findByRole("button", { name: "Renumerar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  return { user, dialog };
}

describe("an order by hand", () => {
  const stored = () =>
    Object.entries(localStorage).find(([key]) => key.includes(" draft bulk tv-channels another 1,2,3"))?.[1];
  async function open(...names: string[]) {
    const { user } = renderPage("/content/tv-channels");
    for (const name of names) await user.click(await screen.findByRole("checkbox", { name }));
    await user.click(await screen.findByRole("button", { name: "Renumerar…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByRole("button", { name: "Mover «Canal 1»" });
    const rows = () => dialog.getAllByRole("listitem").map((one) => one.textContent);
    return { user, dialog, rows };
  }
  async function crashAfterMove() {
    const { user, dialog } = await open("Seleccionar esta página");
    const start = dialog.getByLabelText("Primer número");
    await user.clear(start);
    await user.type(start, "70");
    dialog.getByRole("button", { name: "Mover «Canal 1»" }).focus();
    await user.keyboard("{End}");
    await waitFor(() => expect(stored()).toContain('"ids":[2,3,1]'));
    losePage();
  }

  test("survives a crash with its numbers, until it is run", async () => {
    const sent: unknown[] = [];
    const counts = { changed: 3, created: 0, unchanged: 0, refused: 0, conflicts: 0, missing: 0 };
    server.use(
      http.post("/api/operations", async ({ request }) => {
        sent.push(((await request.json()) as { action: unknown }).action);
        return HttpResponse.json({ id: sent.length, state: "FINISHED", total: 3, counts }, { status: 202 });
      }),
      http.get("/api/operations/:id", ({ params }) =>
        HttpResponse.json({ id: Number(params.id), state: "FINISHED", total: 3, done: 3, counts }),
      ),
      http.get("/api/operations/:id/rows", () => HttpResponse.json([])),
    );
    await crashAfterMove();
    const { user, dialog, rows } = await open("Seleccionar esta página");
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(rows()).toEqual(["2→70Canal 2", "3→71Canal 3", "1→72Canal 1"]);
    await user.click(dialog.getByRole("button", { name: "Vista previa" }));
    await user.click(await dialog.findByRole("button", { name: "Atrás" }));
    await waitFor(() => expect(rows()).toEqual(["2→70Canal 2", "3→71Canal 3", "1→72Canal 1"]));
    expect(dialog.queryByRole("button", { name: "Recuperar" })).not.toBeInTheDocument();
    expect(stored()).toBeDefined();
    await user.click(dialog.getByRole("button", { name: "Vista previa" }));
    await user.click(await dialog.findByRole("button", { name: "Cambiar 3" }));
    await waitFor(() => expect(stored()).toBeUndefined());
    const numbers = [2, 3, 1].map((id, index) => ({ id, number: 70 + index }));
    expect(sent.at(-1)).toEqual({ type: "RENUMBER", numbers });
  });

  test("is proposed for the same channels alone", async () => {
    await crashAfterMove();
    const { dialog } = await open("Seleccionar «Canal 1»", "Seleccionar «Canal 2»");
    expect(dialog.queryByRole("button", { name: "Recuperar" })).not.toBeInTheDocument();
    expect(stored()).toBeDefined();
  });

  test("that is left on purpose is not proposed again", async () => {
    await crashAfterMove();
    const { user, dialog } = await open("Seleccionar esta página");
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });
});

test("a row takes the place of another one without being dragged", async () => {
  const { user, dialog } = await openMany();
  const handle = async (number: number) =>
    user.click(await dialog.findByRole("button", { name: `Mover «Canal ${number}»` }));
  const pressed = () => dialog.queryAllByRole("button", { pressed: true });
  await handle(2);
  expect(pressed()).toHaveLength(1);
  expect(dialog.getByText(/«Canal 2» elegido/)).toBeInTheDocument();
  // Pressed again, it stays where it is.
  await handle(2);
  expect(pressed()).toEqual([]);
  expect(dialog.getByText("«Canal 2» se queda donde está.")).toBeInTheDocument();
  await handle(2);
  await handle(5);
  expect(pressed()).toEqual([]);
  expect(dialog.getByText("«Canal 2»: puesto 5 de 400, número 5")).toBeInTheDocument();
  const titles = dialog
    .getAllByRole("listitem")
    .map((row) => row.querySelector(".lineup-title")?.textContent);
  expect(titles.slice(0, 6)).toEqual([1, 3, 4, 5, 2, 6].map((number) => `Canal ${number}`));
  await waitFor(() => expect(dialog.getByRole("button", { name: "Mover «Canal 2»" })).toHaveFocus());
});

test("of many channels those in sight are rows, and the one that the keys have moved", async () => {
  const { user, dialog } = await openMany();
  const [first] = await dialog.findAllByRole("listitem");
  expect(first).toHaveAttribute("aria-setsize", "400");
  expect(dialog.getAllByRole("listitem").length).toBeLessThan(40);
  dialog.getByRole("button", { name: "Mover «Canal 1»" }).focus();
  await user.keyboard("{End}");
  expect(await dialog.findByText("«Canal 1»: puesto 400 de 400, número 400")).toBeInTheDocument();
  const handle = await dialog.findByRole("button", { name: "Mover «Canal 1»" });
  await waitFor(() => expect(handle).toHaveFocus());
  expect(handle.closest("li")).toHaveAttribute("aria-posinset", "400");
  expect(dialog.getAllByRole("listitem").length).toBeLessThan(40);
});

test("a row that was dragged elsewhere stays, with the focus, while others are scrolled to", async () => {
  const { dialog } = await openMany();
  const rows = await dialog.findAllByRole("listitem");
  const handle = dialog.getByRole("button", { name: "Mover «Canal 3»" });
  fireEvent.click(handle);
  handle.focus();
  const dataTransfer = { setData: () => {} };
  fireEvent.dragStart(rows[2] as Element, { dataTransfer });
  fireEvent.drop(rows[8] as Element, { dataTransfer });
  expect(handle.closest("li")).toHaveAttribute("aria-posinset", "9");
  expect(dialog.queryByRole("button", { pressed: true })).toBeNull();
  const scroller = dialog.getByRole("list").parentElement as HTMLElement;
  scroller.scrollTop = 6_000;
  fireEvent.scroll(scroller);
  await dialog.findByRole("button", { name: "Mover «Canal 180»" });
  expect(handle).toHaveFocus();
});
