// The shared list, through the list of movies.
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser, sampleMovie } from "../../testing/samples";
import { server } from "../../testing/server";

const listRequests = () => sent("GET /api/movies?");
/** The table, once its rows are there. */
const table = async () => {
  await screen.findByText(/^Mostrando/);
  return screen.getByRole("table", { name: "Películas" });
};
const titles = async () =>
  within(await table())
    .getAllByRole("link")
    .flatMap((link) => (link.hasAttribute("data-row") ? [link.textContent] : []));
const pages = () =>
  [...screen.getByRole("navigation", { name: "Páginas" }).children]
    .map((child) => child.textContent)
    .filter(Boolean)
    .join(" ");

test("the footer counts, the badge totals, the pages have ellipses", async () => {
  renderPage("/content/movies?page=4");
  expect(await screen.findByText("Mostrando 31 a 40 de 65 resultados")).toBeVisible();
  expect(screen.getByTitle("resultados")).toHaveTextContent("65");
  expect(pages()).toBe("1 2 3 4 5 6 7");
  expect(screen.getByRole("button", { name: "Página 4" })).toHaveAttribute("aria-current", "page");
});

test("numbers are written as the language does", async () => {
  server.use(
    http.get("/api/movies", () =>
      HttpResponse.json({
        content: [{ ...sampleMovie(1), qualities: [] }],
        page: 0,
        size: 10,
        totalPages: 120,
        totalElements: 1200,
      }),
    ),
  );
  renderPage("/content/movies");
  expect(await screen.findByText("Mostrando 1 a 10 de 1.200 resultados")).toBeVisible();
  expect(pages()).toBe("1 2 … 120");
});

test("first, previous, next and last change the page and the address", async () => {
  const { user, address } = renderPage("/content/movies");
  await table();
  expect(screen.getByRole("button", { name: "Página anterior" })).toBeDisabled();
  await user.click(screen.getByRole("button", { name: "Página siguiente" }));
  expect(await screen.findByText("Mostrando 11 a 20 de 65 resultados")).toBeVisible();
  expect(address()).toBe("/content/movies?page=2");
  await user.click(screen.getByRole("button", { name: "Última página" }));
  expect(await screen.findByText("Mostrando 61 a 65 de 65 resultados")).toBeVisible();
  expect(screen.getByRole("button", { name: "Última página" })).toBeDisabled();
  await user.click(screen.getByRole("button", { name: "Primera página" }));
  expect(await screen.findByText("Mostrando 1 a 10 de 65 resultados")).toBeVisible();
  expect(address()).toBe("/content/movies");
});

test("a header has its whole title for where it is cut, whether rows can be sorted by it or not", async () => {
  renderPage("/content/movies");
  const headers = within(await table()).getAllByRole("columnheader");
  const titled = headers.filter(({ title }) => title !== "");
  for (const header of titled) expect(header).toHaveTextContent(header.title);
  const isSorted = (header: HTMLElement) => within(header).queryByRole("button") !== null;
  expect(new Set(titled.map(isSorted))).toEqual(new Set([true, false]));
});

test("a page past the end is replaced by the last one", async () => {
  const { address } = renderPage("/content/movies?page=99");
  expect(await screen.findByText("Mostrando 61 a 65 de 65 resultados")).toBeVisible();
  expect(address()).toBe("/content/movies?page=7");
});

describe("searching", () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  });

  test("waits half a second after the last key, then requests once, from the first page", async () => {
    const { user, address } = renderPage("/content/movies?page=3");
    const box = await screen.findByRole("searchbox", { name: "Buscar películas..." });
    await table();
    const before = listRequests().length;
    await user.type(box, "camion");
    await act(() => vi.advanceTimersByTimeAsync(300));
    expect(listRequests()).toHaveLength(before);
    await act(() => vi.advanceTimersByTimeAsync(300));
    expect(await screen.findByText("Camión fantasma")).toBeVisible();
    expect(address()).toBe("/content/movies?search=camion");
    expect(listRequests().slice(before)).toEqual([
      "GET /api/movies?_page=0&_size=10&_sort=-id&search=camion",
    ]);
  });
});

test("a search without results says so, and can be undone", async () => {
  const { user, address } = renderPage("/content/movies?search=zzz");
  expect(await screen.findByText("No se encontraron resultados para tu búsqueda.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Quitar búsqueda y filtros" }));
  expect(await screen.findByText("Dune")).toBeVisible();
  expect(address()).toBe("/content/movies");
});

test("creating an item leads back to the list as it was left", async () => {
  const { user, address } = renderPage("/content/movies?search=camion");
  await user.click(await screen.findByRole("link", { name: /^Crear/ }));
  await user.click(await screen.findByRole("link", { name: /^Volver a/ }));
  expect(await screen.findByText("Camión fantasma")).toBeVisible();
  expect(address()).toBe("/content/movies?search=camion");
});

test("an empty list says so", async () => {
  backend.tables.movies = [];
  renderPage("/content/movies");
  expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  expect(screen.getByText(/^Aquí están las películas/)).toBeVisible();
  expect(screen.getByRole("link", { name: "Empezar" })).toHaveAttribute("href", "/content/movies/create");
});

test("a list that fails says why, and trying again brings it", async () => {
  server.use(http.get("/api/movies", () => problem(400, { message: "La consulta no vale." })));
  const { user } = renderPage("/content/movies");
  expect(await screen.findByText("Error al cargar los datos")).toBeVisible();
  expect(screen.getByText("La consulta no vale.")).toBeVisible();
  server.resetHandlers();
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await screen.findByText("Dune")).toBeVisible();
});

test("rows that cannot be read again stay, with the failure above them", async () => {
  let isAway = false;
  server.use(http.get("/api/movies", () => (isAway ? problem(400, { message: "Hoy no." }) : undefined)));
  const { user } = renderPage("/content/movies");
  expect(await titles()).toHaveLength(10);
  const row = screen.getByText("Dune");
  isAway = true;
  // A deletion has the list read again.
  await user.click(screen.getByRole("button", { name: "Eliminar «Camión fantasma»" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
  expect(await screen.findByRole("alert", { name: "Error al cargar los datos" })).toBeVisible();
  expect(row).toBeVisible();
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await waitFor(() =>
    expect(screen.queryByRole("alert", { name: "Error al cargar los datos" })).not.toBeInTheDocument(),
  );
  expect(row).toBeVisible();
});

test("a server error is retried once before it is shown", async () => {
  let times = 0;
  server.use(
    http.get("/api/movies", () => {
      times += 1;
      return problem(500, { message: "panic at line 3" });
    }),
  );
  renderPage("/content/movies");
  expect(
    await screen.findByText("Ocurrió un error en el servidor. Inténtalo de nuevo más tarde."),
  ).toBeVisible();
  expect(times).toBe(2);
});

test("a header sorts up, down and back, in the address too", async () => {
  const { user, address } = renderPage("/content/movies?page=2");
  await table();
  const header = () => screen.getByRole("button", { name: "Título" });
  await user.click(header());
  await waitFor(async () => expect((await titles())[0]).toBe("Camión fantasma"));
  expect(address()).toBe("/content/movies?sort=title");
  expect(listRequests().at(-1)).toBe("GET /api/movies?_page=0&_size=10&_sort=+title");
  expect(screen.getByRole("columnheader", { name: "Título" })).toHaveAttribute("aria-sort", "ascending");
  await user.click(header());
  await waitFor(async () => expect((await titles())[0]).toBe("Película 65"));
  expect(address()).toBe("/content/movies?sort=-title");
  await user.click(header());
  await waitFor(() => expect(address()).toBe("/content/movies"));
});

test("an address opens the list as it was: page, size, order, search and filters", async () => {
  renderPage("/content/movies?page=2&size=25&sort=-year&search=pel&active=true&categoryId=1");
  await table();
  expect(listRequests()).toEqual([
    "GET /api/movies?_page=1&_size=25&_sort=-year&search=pel&active=true&categoryId=1",
  ]);
  expect(screen.getByRole("searchbox")).toHaveValue("pel");
  expect(screen.getByLabelText("Estado")).toHaveValue("true");
  expect(await screen.findByRole("button", { name: "Categoría: Acción" })).toBeVisible();
});

async function addFilter(user: ReturnType<typeof renderPage>["user"], name: string) {
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await user.click(await screen.findByRole("menuitem", { name }));
}

test("a year is typed, and Enter takes it", async () => {
  const { user, address } = renderPage("/content/movies");
  await table();
  await addFilter(user, "Año");
  await user.keyboard("2021{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies?year=2021"));
  await waitFor(() =>
    expect(listRequests().at(-1)).toBe("GET /api/movies?_page=0&_size=10&_sort=-id&year=2021"),
  );
  expect(await screen.findByText("Dune")).toBeVisible();
  expect(screen.getByLabelText("Año")).toHaveValue("2021");
});

test("what lacks something is found, and the heading says so", async () => {
  const { user } = renderPage("/content/movies");
  await table();
  await addFilter(user, "Le falta");
  await user.selectOptions(screen.getByLabelText("Le falta"), "Portada");
  expect(await screen.findByRole("heading", { level: 1, name: "Películas sin portada" })).toBeVisible();
  expect(listRequests().at(-1)).toBe("GET /api/movies?_page=0&_size=10&_sort=-id&missing=COVER");
});

test("one of several genres keeps an item, and the chip names them", async () => {
  const { user, address } = renderPage("/content/movies?page=2");
  await table();
  await addFilter(user, "Género");
  const panel = await screen.findByRole("dialog", { name: /^Género/ });
  await user.type(within(panel).getByRole("textbox", { name: "Buscar en Género" }), "accion");
  await user.click(within(panel).getByRole("checkbox", { name: "Acción" }));
  await user.clear(within(panel).getByRole("textbox"));
  await user.click(within(panel).getByRole("checkbox", { name: "Drama" }));
  await waitFor(() => expect(address()).toBe("/content/movies?genre=ACTION%2CDRAMA"));
  await waitFor(() =>
    expect(listRequests().at(-1)).toBe("GET /api/movies?_page=0&_size=10&_sort=-id&genre=ACTION,DRAMA"),
  );
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.getByRole("button", { name: "Género: Acción, Drama" })).toHaveFocus());
  await user.click(screen.getByRole("button", { name: "Quitar el filtro Género" }));
  await waitFor(() => expect(address()).toBe("/content/movies"));
});

test("a panel that is closed without a choice leaves no filter", async () => {
  const { user, address } = renderPage("/content/movies");
  await table();
  await addFilter(user, "Género");
  await screen.findByRole("dialog", { name: /^Género/ });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("button", { name: /^Género/ })).toBeNull());
  expect(address()).toBe("/content/movies");
});

test("days are chosen from one on and up to one; who changed a film is typed", async () => {
  const { user, address } = renderPage("/content/movies?updatedDateFrom=2026-11-01");
  await user.click(await screen.findByRole("button", { name: "Última modificación: desde 01/11/2026" }));
  const panel = await screen.findByRole("dialog", { name: /^Última modificación/ });
  await user.type(await within(panel).findByLabelText("Hasta"), "20/11/2026{Enter}");
  await waitFor(() =>
    expect(address()).toBe("/content/movies?updatedDateFrom=2026-11-01&updatedDateTo=2026-11-20"),
  );
  expect(screen.getByRole("button", { name: "Última modificación: 01/11/2026 – 20/11/2026" })).toBeVisible();
  await user.keyboard("{Escape}");
  await addFilter(user, "Modificado por");
  await user.keyboard("eva{Enter}");
  await waitFor(() =>
    expect(listRequests().at(-1)).toContain(
      "&updatedBy=eva&updatedDateFrom=2026-11-01&updatedDateTo=2026-11-20",
    ),
  );
  await user.click(screen.getByRole("button", { name: "Quitar filtros" }));
  await waitFor(() => expect(address()).toBe("/content/movies"));
});

test("a title is above its year, length, category and qualities", async () => {
  renderPage("/content/movies");
  await table();
  expect(screen.getByText("2021 · 1 h 40 · Acción · FHD")).toBeVisible();
});

test("compact rows are remembered, for every list", async () => {
  const { user } = renderPage("/content/movies");
  const frame = async () => (await table()).closest(".table-frame");
  expect(await frame()).not.toHaveAttribute("data-compact");
  await user.click(screen.getByRole("button", { name: "Filas compactas" }));
  expect(await frame()).toHaveAttribute("data-compact");
  document.body.replaceChildren();
  renderPage("/content/movies");
  expect(await frame()).toHaveAttribute("data-compact");
  expect(screen.getByRole("button", { name: "Filas compactas" })).toHaveAttribute("aria-pressed", "true");
});

test("a filter narrows from the first page", async () => {
  const { user, address } = renderPage("/content/movies?page=3");
  await table();
  await addFilter(user, "Estado");
  const control = screen.getByLabelText("Estado");
  expect(control).toHaveFocus();
  await user.selectOptions(control, "Inactivo");
  expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  expect(address()).toBe("/content/movies?active=false");
  expect(screen.getByRole("heading", { level: 1, name: "Películas inactivas" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Quitar el filtro Estado" }));
  expect(await screen.findByText("Dune")).toBeVisible();
  expect(address()).toBe("/content/movies");
  expect(screen.getByRole("heading", { level: 1, name: "Películas" })).toBeVisible();
});

test("while the next page loads the old rows stay, marked as outdated", async () => {
  const { user } = renderPage("/content/movies");
  await table();
  server.use(
    http.get("/api/movies", async () => {
      await delay(200);
    }),
  );
  await user.click(screen.getByRole("button", { name: "Página 2" }));
  expect(screen.getByText("Dune")).toBeVisible();
  expect((await table()).closest("[aria-busy]")).toHaveAttribute("aria-busy", "true");
  expect(await screen.findByText("Película 11")).toBeVisible();
  expect(screen.queryByText("Dune")).not.toBeInTheDocument();
});

test("going back finds the list as it was left, at the row that was opened", async () => {
  const { user, router, address } = renderPage("/content/movies?page=2&sort=title");
  await user.click(await screen.findByRole("link", { name: "Película 2" + "0" }));
  await screen.findByRole("heading", { name: "Editar «Película 20»" });
  await act(() => router.navigate(-1));
  const row = await screen.findByRole("link", { name: "Película 20" });
  await waitFor(() => expect(row).toHaveFocus());
  expect(address()).toBe("/content/movies?page=2&sort=title");
});

test("the first press of a list's tool leaves the focus in its first field", async () => {
  const { user } = renderPage("/content/movies");
  await table();
  await user.click(screen.getByRole("button", { name: "Columnas" }));
  const panel = within(await screen.findByRole("dialog", { name: "Columnas" }));
  await waitFor(() => expect(panel.getAllByRole("checkbox")[0]).toHaveFocus());
});

test("clearing the search keeps the focus in its field", async () => {
  const { user } = renderPage("/content/movies");
  const box = await screen.findByRole("searchbox", { name: "Buscar películas..." });
  await user.type(box, "pel");
  await user.click(screen.getByRole("button", { name: "Borrar la búsqueda" }));
  expect(box).toHaveFocus();
  expect(box).toHaveValue("");
});

test("columns that are shown beyond the edge are hinted at, without a change of the window", async () => {
  const looks = new Map<Element, () => void>();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(private readonly look: () => void) {}
      observe(element: Element) {
        looks.set(element, this.look);
      }
      unobserve() {}
      disconnect() {}
    },
  );
  renderPage("/content/movies");
  const shown = await table();
  const frame = shown.closest(".table-frame");
  expect(frame).not.toHaveAttribute("data-more");
  const viewport = shown.parentElement as HTMLElement;
  vi.spyOn(viewport, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(viewport, "scrollWidth", "get").mockReturnValue(1100);
  act(() => looks.get(shown)?.());
  expect(frame).toHaveAttribute("data-more");
  vi.unstubAllGlobals();
});

test("the chosen columns and size are restored", async () => {
  const first = renderPage("/content/movies");
  await table();
  await first.user.click(screen.getByRole("button", { name: "Columnas" }));
  await first.user.click(await screen.findByRole("checkbox", { name: "Géneros" }));
  await first.user.click(await screen.findByRole("checkbox", { name: "Última modificación" }));
  await first.user.keyboard("{Escape}");
  await first.user.selectOptions(screen.getByLabelText("Filas por página"), "25 por página");
  await screen.findByText("Mostrando 1 a 25 de 65 resultados");
  document.body.replaceChildren();
  renderPage("/content/movies");
  expect(await screen.findByText("Mostrando 1 a 25 de 65 resultados")).toBeVisible();
  const headers = within(await table()).getAllByRole("columnheader");
  expect(headers.map((header) => header.textContent)).toEqual([
    "",
    "Título",
    "Vistas",
    "Estado",
    "Última modificación",
    "Acciones",
  ]);
});

test("a column chosen on a tablet does not change the columns of a wide screen that a tablet omits", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVCHANNEL_READ"] };
  server.use(
    http.get("/api/tv-channels", () =>
      HttpResponse.json({ content: [], page: 0, size: 10, totalPages: 0, totalElements: 0 }),
    ),
  );
  const openColumns = async () => {
    const page = renderPage("/content/tv-channels");
    await page.user.click(await screen.findByRole("button", { name: "Columnas" }));
    const panel = within(await screen.findByRole("dialog", { name: "Columnas" }));
    return { ...page, panel, kids: await panel.findByRole("checkbox", { name: "Contenido infantil" }) };
  };
  const matchMedia = window.matchMedia;
  const tablet = vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 991px"),
  }));
  const narrow = await openColumns();
  expect(narrow.panel.queryByRole("checkbox", { name: "Ahora y después" })).not.toBeInTheDocument();
  await narrow.user.click(narrow.kids);
  cleanup();
  tablet.mockRestore();
  const { panel, kids } = await openColumns();
  expect(kids).toBeChecked();
  expect(panel.getByRole("checkbox", { name: "Ahora y después" })).toBeChecked();
});
