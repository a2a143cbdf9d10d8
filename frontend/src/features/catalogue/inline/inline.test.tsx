// Inline editing, in the lists of movies and channels.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { createQueryClient } from "../../../api/queryClient";
import { backend, problem } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { server } from "../../../testing/server";
import type { Row } from "../contents";
import movies from "../contents/movies";
import { useCellDraft } from "./useCellDraft";

const patches: { path: string; version: string | null; body: Record<string, unknown> }[] = [];

beforeEach(() => {
  localStorage.clear();
  patches.length = 0;
  server.use(
    http.patch("/api/movies/:id", async ({ params, request }) => {
      const body = (await request.json()) as Record<string, unknown>;
      const version = request.headers.get("if-match");
      patches.push({ path: `movies/${params.id}`, version, body });
      const item = backend.tables.movies?.find(({ id }) => id === Number(params.id));
      if (!item) return problem(404, { code: "NOT_FOUND" });
      if (version !== `"${item.version}"`)
        return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: item });
      Object.assign(item, body, { version: Number(item.version) + 1 });
      return HttpResponse.json(item);
    }),
  );
});

const dune = 2;

/** The list with the column of years, and the cells of a row. */
async function openList(address = "/content/movies") {
  localStorage.setItem("columns.movies", JSON.stringify([]));
  const page = renderPage(address);
  await screen.findByText(/^Mostrando/);
  await page.user.click(screen.getByRole("button", { name: "Columnas" }));
  for (const name of ["Año", "Categoría", "Contenido infantil"]) {
    const box = await screen.findByRole("checkbox", { name });
    if (!(box as HTMLInputElement).checked) await page.user.click(box);
  }
  await page.user.keyboard("{Escape}");
  const cell = (column: string, id: number | string = dune) =>
    document.querySelector<HTMLElement>(`[data-cell="${id} ${column}"]`) as HTMLElement;
  return { ...page, cell };
}

test("a double click edits, Enter saves with the version of the row, and Tab goes to the next row", async () => {
  const { user, cell } = await openList();
  await user.dblClick(cell("year"));
  const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
  expect(input).toHaveFocus();
  await user.clear(input);
  await user.type(input, "2020{Tab}");
  await waitFor(() => expect(patches).toEqual([{ path: "movies/2", version: '"1"', body: { year: 2020 } }]));
  const next = await screen.findByRole("textbox", { name: /^Año de «/ });
  const below = cell("year").closest("tr")?.nextElementSibling;
  expect(below).toContainElement(next);
  await waitFor(() => expect(next).toHaveFocus());
  await user.keyboard("{Shift>}{Tab}{/Shift}");
  await waitFor(() => expect(within(cell("year")).getByRole("textbox")).toHaveFocus());
  await user.keyboard("{Enter}");
  await waitFor(() => expect(cell("year")).toHaveTextContent("2020"));
  expect(cell("year")).toHaveFocus();
  expect(patches).toHaveLength(1);
});

test("a late response closes no other cell, and the error of a closed cell is shown as a toast", async () => {
  // jsdom says no while the focus moves.
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  let answer = () => {};
  server.use(
    http.patch("/api/movies/:id", async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return problem(422, { code: "VALIDATION_FAILED", message: "No es válido.", errors: [] });
    }),
  );
  const { user, cell } = await openList();
  const other = backend.tables.movies?.find(({ id }) => id !== dune)?.id as number;
  await user.dblClick(cell("year"));
  const first = await within(cell("year")).findByRole("textbox");
  await user.clear(first);
  await user.type(first, "1950");
  await user.dblClick(cell("year", other));
  const input = await within(cell("year", other)).findByRole("textbox");
  await user.clear(input);
  await user.type(input, "19");
  answer();
  expect(await screen.findByText("No se guardó Año de «Dune»: ábrelo otra vez")).toBeVisible();
  expect(input).toHaveValue("19");
  expect(input).toHaveFocus();
  // One that breaks a rule of the form is not lost without a word, either.
  await user.clear(input);
  await user.type(input, "12");
  await user.dblClick(cell("year"));
  expect(await screen.findByText(/^No se guardó Año de «(?!Dune)/)).toBeVisible();
});

test.each([
  ["1990", 1],
  ["2021", 0],
])(
  "a value (%s) whose row leaves the list while it is typed is lost with a message",
  async (typed, messages) => {
    const { user, cell, router } = await openList();
    await user.dblClick(cell("year"));
    const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
    await user.clear(input);
    await user.type(input, typed);
    await act(() => router.navigate("/content/movies?search=camion"));
    await waitFor(() => expect(screen.queryByRole("link", { name: "Dune" })).not.toBeInTheDocument());
    await waitFor(() =>
      expect(screen.queryAllByText("No se guardó Año de «Dune»: ábrelo otra vez")).toHaveLength(messages),
    );
    expect(patches).toEqual([]);
  },
);

test("E edits the focused cell, Esc leaves it as it was, and the arrows go from cell to cell", async () => {
  const { user, cell } = await openList();
  screen.getByRole("link", { name: "Dune" }).focus();
  await user.keyboard("e");
  await screen.findByRole("textbox", { name: "Año de «Dune»" });
  await user.keyboard("1990{Escape}");
  await waitFor(() => expect(cell("year")).toHaveFocus());
  expect(cell("year")).toHaveTextContent("2021");
  expect(screen.queryByText(/^No se guardó/)).not.toBeInTheDocument();
  await user.keyboard("{ArrowRight}");
  expect(cell("categoryId")).toHaveFocus();
  await user.keyboard("e");
  const choice = await screen.findByRole("combobox", { name: "Categoría de «Dune»" });
  expect(within(choice).getByRole("option", { name: "Acción", selected: true })).toBeInTheDocument();
  expect(patches).toEqual([]);
});

test("a category and a flag are chosen", async () => {
  const { user, cell } = await openList();
  await user.dblClick(cell("kidsContent"));
  await user.selectOptions(await screen.findByRole("combobox", { name: /^Contenido infantil de/ }), "Sí");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(patches[0]?.body).toEqual({ kidsContent: true }));
  await waitFor(() => expect(cell("kidsContent")).toHaveTextContent("Sí"));
});

test.each([
  ["year", "2021", "2020"],
  ["categoryId", "1", "2"],
  ["kidsContent", "false", "true"],
])("a row that no longer matches the filter by %s is marked", async (field, value, other) => {
  const film = backend.tables.movies?.find(({ id }) => id === dune);
  Object.assign(film ?? {}, { categoryId: 1, kidsContent: false });
  const { user, cell } = await openList(`/content/movies?${field}=${value}`);
  const rowOf = () => cell(field).closest("tr") as HTMLElement;
  expect(rowOf()).not.toHaveTextContent("Ya no cumple el filtro");
  await user.dblClick(cell(field));
  const control = await within(cell(field)).findByRole(field === "year" ? "textbox" : "combobox");
  if (field === "year") {
    await user.clear(control);
    await user.type(control, other);
  } else await user.selectOptions(control, other);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(rowOf()).toHaveTextContent("Ya no cumple el filtro"));
});

test("what breaks a rule says so at the cell, and is not sent", async () => {
  const { user, cell } = await openList();
  await user.dblClick(cell("year"));
  const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
  await user.clear(input);
  await user.type(input, "12{Enter}");
  expect(await within(cell("year")).findByRole("alert")).toHaveTextContent("Año debe ser al menos 1900");
  expect(input).toHaveAttribute("aria-invalid", "true");
  expect(patches).toEqual([]);
});

test("a message at the edge of the table moves into what is seen of it", async () => {
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    if (this.matches(".cell-message")) return new DOMRect(500, 390, 160, 50);
    return this.matches(".cell-editor") ? new DOMRect(500, 360, 80, 30) : new DOMRect(0, 0, 600, 400);
  });
  const { user, cell } = await openList();
  await user.dblClick(cell("year"));
  await user.clear(await screen.findByRole("textbox", { name: "Año de «Dune»" }));
  await user.keyboard("12{Enter}");
  const message = await within(cell("year")).findByRole("alert");
  expect(message.style.translate).toBe("-60px");
  expect(message.style.inset).toBe("auto auto calc(100% + 0.25rem) 0");
});

/** While a user types 2020 as the year of Dune, another version of it is saved. */
async function typeWhile(saved: { version: number; year: number; updatedBy: string }) {
  const page = await openList();
  await page.user.dblClick(page.cell("year"));
  const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
  Object.assign(backend.tables.movies?.find(({ id }) => id === dune) ?? {}, saved);
  await page.user.clear(input);
  await page.user.type(input, "2020{Enter}");
  return { ...page, input };
}

test("after a conflict both values are shown, and the typed text stays", async () => {
  const { user, cell, input } = await typeWhile({ version: 5, year: 1984, updatedBy: "eva" });
  const alert = await within(cell("year")).findByRole("alert");
  expect(alert).toHaveTextContent("eva lo cambió a «1984» mientras escribías.");
  expect(input).toHaveValue("2020");
  await user.click(within(alert).getByRole("button", { name: "Guardar «2020»" }));
  await waitFor(() => expect(cell("year")).toHaveTextContent(/^2020$/));
  expect(patches.map(({ version }) => version)).toEqual(['"1"', '"5"']);
});

test.each([
  ["is one with another tab", 2, "Lo cambiaste a «1984» en otra pestaña mientras escribías."],
  ["may be one with others too, after several versions", 3, "El valor cambió a «1984» mientras escribías."],
])("a conflict with oneself %s", async (_, version, message) => {
  const { cell } = await typeWhile({ version, year: 1984, updatedBy: "ana" });
  expect(await within(cell("year")).findByRole("alert")).toHaveTextContent(message);
});

test("a value that another user also stored is no conflict", async () => {
  const { cell } = await typeWhile({ version: 5, year: 2020, updatedBy: "eva" });
  await waitFor(() => expect(cell("year")).toHaveTextContent(/^2020$/));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(patches.map(({ version }) => version)).toEqual(['"1"']);
});

test("a row that is read again while its cell is open changes nothing of what is edited", async () => {
  const table = () => backend.tables.movies?.find(({ id }) => id === dune) as unknown as Row<"movies">;
  const opened = { ...table() };
  const client = createQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const typed = renderHook(({ row }) => useCellDraft(movies, row, "year"), {
    wrapper,
    initialProps: { row: opened },
  });
  Object.assign(table(), { version: 5, year: 1984, updatedBy: "eva" });
  typed.rerender({ row: { ...table() } });
  // Nothing was typed: nothing is sent.
  await act(async () => expect(await typed.result.current.save()).toBe(true));
  expect(patches).toEqual([]);
  act(() => typed.result.current.set("2020"));
  await act(async () => expect(await typed.result.current.save()).toBe(false));
  expect(typed.result.current.conflict).toMatchObject({ mine: "2020", theirs: "1984", by: "eva" });
  await act(async () => expect(await typed.result.current.save()).toBe(true));
  expect(patches.map(({ version }) => version)).toEqual(['"1"', '"5"']);
});

test.each([
  ["saved it, too", { version: 2, year: 1984, categoryId: 2 }, "Clásicos"],
  ["switched it off with the same save", { version: 2, year: 1984, active: false }, "Acción"],
])(
  "after a press on the switch of a row its values are those of its version: another user %s",
  async (...args) => {
    const [, theirs, category] = args;
    const film = backend.tables.movies?.find(({ id }) => id === dune) ?? ({} as never);
    server.use(
      http.patch("/api/movies/:id/status", async ({ request }) => {
        const { active } = (await request.json()) as { active: boolean };
        // The same again is no new version.
        if (film.active !== active) Object.assign(film, { active, version: film.version + 1 });
        return HttpResponse.json(film);
      }),
    );
    const { user, cell } = await openList();
    Object.assign(film, theirs);
    await user.click(screen.getByRole("switch", { name: "«Dune» activo" }));
    await waitFor(() => expect(cell("year")).toHaveTextContent(/^1984$/));
    await waitFor(() => expect(cell("categoryId")).toHaveTextContent(category));
    expect(screen.getByRole("switch", { name: "«Dune» activo" })).not.toBeChecked();
    await user.dblClick(cell("year"));
    const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
    await user.clear(input);
    await user.type(input, "2020{Enter}");
    await waitFor(() => expect(patches.map(({ version }) => version)).toEqual([`"${film.version - 1}"`]));
  },
);

test("another user's change of another field causes no conflict", async () => {
  const { user, cell } = await openList();
  await user.dblClick(cell("year"));
  const input = await screen.findByRole("textbox", { name: "Año de «Dune»" });
  Object.assign(backend.tables.movies?.find(({ id }) => id === 2) ?? {}, { version: 5, durationMinutes: 90 });
  await user.clear(input);
  await user.type(input, "2020{Enter}");
  await waitFor(() => expect(cell("year")).toHaveTextContent(/^2020$/));
  expect(patches.map(({ version }) => version)).toEqual(['"1"', '"5"']);
});

test("what a change in a cell may change is read again where it is shown next", async () => {
  let reads = 0;
  server.use(
    http.get("/api/completeness", () => {
      reads += 1;
      return HttpResponse.json([]);
    }),
    http.get("/api/completeness/duplicates", () => HttpResponse.json([])),
  );
  const { user, cell, router } = await openList();
  await act(() => router.navigate("/content/completeness"));
  await waitFor(() => expect(reads).toBe(1));
  await act(() => router.navigate("/content/movies"));
  await screen.findByText(/^Mostrando/);
  await user.dblClick(cell("year"));
  const input = await within(cell("year")).findByRole("textbox");
  await user.clear(input);
  await user.type(input, "2020{Enter}");
  await waitFor(() => expect(patches).toHaveLength(1));
  await act(() => router.navigate("/content/completeness"));
  await waitFor(() => expect(reads).toBe(2));
});

test("users who may not change items cannot edit cells", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["MOVIE_READ"] };
  renderPage("/content/movies");
  await screen.findByText(/^Mostrando/);
  expect(document.querySelector("[data-cell]")).toBeNull();
});
