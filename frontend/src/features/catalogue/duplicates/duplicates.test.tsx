// Likely duplicates: from the number to the comparison, and from there to one item.
import { QueryClient } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { problem } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleShow } from "../../../testing/series";
import { server } from "../../../testing/server";
import { tabTo } from "../../../testing/tabTo";

const item = (id: number, more: object = {}) => ({
  id,
  version: 1,
  title: "Metrópolis",
  year: 1927,
  imdbId: null,
  coverImageUrl: null,
  active: true,
  links: 1,
  views: 12,
  showId: null,
  showTitle: null,
  seasonNumber: null,
  episodeNumber: null,
  ...more,
});

const link = (url: string) => ({
  id: url,
  url,
  quality: "HD",
  audioLanguages: ["SPANISH"],
  subtitleLanguages: [],
  active: true,
  createdDate: null,
  updatedDate: null,
});

const film = (id: number, more: object) => ({
  ...item(id),
  links: [link(`https://a.example/${id}.m3u8`)],
  rating: null,
  ...more,
});

const stationOf = (name: string) => ({ title: name, stationName: name, year: null, links: null });

const sharedUrl = "https://***@a.example/7.m3u8";
const sent: unknown[] = [];

beforeEach(() => {
  sent.length = 0;
  server.use(
    http.get("/api/completeness/duplicates", () =>
      HttpResponse.json([
        { kind: "movies", reason: "IMDB_ID", count: 0 },
        { kind: "movies", reason: "TITLE_AND_YEAR", count: 1204 },
        { kind: "concerts", reason: "ADDRESS", count: 1 },
      ]),
    ),
    http.get("/api/movies/duplicates", ({ request }) => {
      expect(new URL(request.url).searchParams.get("reason")).toBe("TITLE_AND_YEAR");
      const items = [item(3), item(8, { title: "METROPOLIS", views: 30 })];
      const content = [{ value: "Metrópolis", year: 1927, items, total: 25 }];
      return HttpResponse.json({ content, page: 0, size: 20, totalPages: 61, totalElements: 1204 });
    }),
    http.get("/api/movies/:id/merge", ({ params, request }) => {
      const other = Number(new URL(request.url).searchParams.get("mergedId"));
      const both = {
        3: film(3, { rating: null, version: 4 }),
        8: film(8, { title: "METROPOLIS", rating: 8.1 }),
      };
      const kept = both[Number(params.id) as 3 | 8];
      const merged = both[other as 3 | 8];
      const together = { ...kept, views: 42, rating: 8.1, links: [...kept.links, ...merged.links] };
      return HttpResponse.json({ kept, merged, together });
    }),
    http.post("/api/movies/:id/merge", async ({ params, request }) => {
      sent.push({ id: params.id, body: await request.json() });
      return HttpResponse.json(film(Number(params.id), { version: 5 }));
    }),
  );
});

test("two items are compared field by field, and one is merged into the other", async () => {
  const { user } = renderPage("/content/duplicates");
  expect(await screen.findByRole("combobox", { name: "Tipo y motivo" })).toHaveDisplayValue(
    /Películas · Mismo título y año \(1.?204\)/,
  );
  expect(await screen.findByText("y 23 más, que aparecerán al combinar estos")).toBeVisible();
  expect(screen.getByText("En común: Metrópolis (1927)")).toBeVisible();
  await user.click(screen.getByRole("button", { name: /^Comparar y combinar Metrópolis \(ID 3\)/ }));
  const dialog = await screen.findByRole("dialog", { name: "Combinar duplicados" });
  const rating = await within(dialog).findByRole("row", { name: /^Puntuación/ });
  expect(
    within(rating)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["—", "8.1", "8.1 del otro elemento"]);
  expect(within(dialog).getByText(/Vistas: 42/)).toBeVisible();
  expect(within(dialog).getByText(/la versión 4/)).toBeVisible();
  expect(within(dialog).getAllByText("Añadido")).toHaveLength(1);
  await user.click(within(dialog).getByRole("button", { name: "Combinar" }));
  expect(await screen.findByText("Se combinaron en «Metrópolis»")).toBeVisible();
  expect(sent).toEqual([{ id: "3", body: { version: 4, mergedId: 8, mergedVersion: 1 } }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the dialog stays until the answer to the merge is there, and then says a failure", async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post("/api/movies/3/merge", async () => {
      await held;
      return problem(409, { code: "REFERENCED", message: "No se pudo." });
    }),
  );
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Combinar duplicados" }));
  await waitFor(() => expect(dialog.getByRole("button", { name: "Combinar" })).toBeEnabled());
  await user.click(dialog.getByRole("button", { name: "Combinar" }));
  await waitFor(() => expect(dialog.getByRole("button", { name: "Cancelar" })).toBeDisabled());
  await user.keyboard("{Escape}");
  await user.click(dialog.getByRole("button", { name: "Cerrar" }));
  // What is kept is what was sent.
  expect(dialog.getByRole("radio", { name: "METROPOLIS" })).toBeDisabled();
  answer();
  expect(await dialog.findByText("No se pudo.")).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("the comparison fills the screen of a phone", async () => {
  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 640px"),
  }));
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = await screen.findByRole("dialog", { name: "Combinar duplicados" });
  await waitFor(() => expect(dialog.closest("[data-full-screen]")).not.toBeNull());
});

test("the comparison is opened, left and carried out by keyboard, and the focus returns", async () => {
  const { user } = renderPage("/content/duplicates");
  const button = await screen.findByRole("button", { name: /^Comparar y combinar/ });
  const open = async () => {
    button.focus();
    await user.keyboard("{Enter}");
    return within(await screen.findByRole("dialog", { name: "Combinar duplicados" }));
  };
  await open();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await waitFor(() => expect(button).toHaveFocus());
  expect(sent).toEqual([]);
  const dialog = await open();
  const merge = dialog.getByRole("button", { name: "Combinar" });
  await waitFor(() => expect(merge).toBeEnabled());
  // Enter confirms from the choice of what is kept, too.
  await tabTo(user, dialog.getByRole("radio", { name: "Metrópolis" }));
  await user.keyboard("{Enter}");
  expect(await screen.findByText("Se combinaron en «Metrópolis»")).toBeVisible();
  expect(sent).toHaveLength(1);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await waitFor(() => expect(button).toHaveFocus());
});

test("the other item can be kept, and a change meanwhile is shown instead of overwritten", async () => {
  server.use(http.post("/api/movies/8/merge", () => problem(412, { code: "OUTDATED" }), { once: true }));
  const { user } = renderPage("/content/duplicates?kind=movies&reason=TITLE_AND_YEAR");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = await screen.findByRole("dialog", { name: "Combinar duplicados" });
  await user.click(within(dialog).getByRole("radio", { name: "METROPOLIS" }));
  expect(await within(dialog).findByRole("columnheader", { name: "Se queda (ID 8)" })).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Combinar" }));
  expect(await within(dialog).findByText(/Alguien cambió uno de los dos/)).toBeVisible();
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Combinar" })).toBeEnabled());
  await user.click(within(dialog).getByRole("button", { name: "Combinar" }));
  await waitFor(() =>
    expect(sent).toEqual([{ id: "8", body: { version: 1, mergedId: 3, mergedVersion: 4 } }]),
  );
});

test("a merged item that would break a rule is reported before the merge", async () => {
  server.use(
    http.get("/api/movies/:id/merge", () =>
      problem(422, { code: "INVALID", message: "Demasiados enlaces." }),
    ),
  );
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = await screen.findByRole("dialog", { name: "Combinar duplicados" });
  expect(await within(dialog).findByText("Demasiados enlaces.")).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Combinar" })).toBeDisabled();
});

test("the groups that are chosen have a file", async () => {
  const columns = ["group", "value", "title", "links"].map((key) => ({ key, heading: key }));
  server.use(http.get("/api/spreadsheets/duplicates/columns", () => HttpResponse.json(columns)));
  const { user } = renderPage("/content/duplicates?kind=movies&reason=TITLE_AND_YEAR");
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: "value", checked: true });
  // Their number is a column like the others, and no addresses.
  expect(dialog.getByRole("button", { name: "Todas" })).toBeVisible();
  expect(dialog.getByRole("link", { name: "Descargar" })).toHaveAttribute(
    "href",
    "/api/spreadsheets/duplicates?format=xlsx&language=es&kind=movies&reason=TITLE_AND_YEAR",
  );
});

test("a catalogue without duplicates says so", async () => {
  server.use(http.get("/api/completeness/duplicates", () => HttpResponse.json([])));
  renderPage("/content/duplicates");
  expect(await screen.findByText("No hay posibles duplicados.")).toBeVisible();
});

/** One group of two items of a kind, of which the second is merged into the first. */
function twoOf(kind: string, reason: string, [one, other]: [object, object], total = 2) {
  server.use(
    http.get("/api/completeness/duplicates", () => HttpResponse.json([{ kind, reason, count: 1 }])),
    http.get(`/api/${kind}/duplicates`, () => {
      const items = [item(1, one), item(2, other)];
      return HttpResponse.json({
        content: [{ value: sharedUrl, year: null, items, total }],
        page: 0,
        size: 20,
        totalPages: 1,
        totalElements: 1,
      });
    }),
    http.get(`/api/${kind}/1/merge`, () => {
      const stored = (id: number, more: object) => {
        const { links: _, ...fields } = item(id, more);
        return fields;
      };
      const kept = stored(1, one);
      return HttpResponse.json({
        kept,
        merged: stored(2, other),
        together: { ...kept, views: 24 },
      });
    }),
    http.post(`/api/${kind}/1/merge`, async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(item(1, { version: 2 }));
    }),
  );
}

test("stations with one address are merged, and their names are said", async () => {
  twoOf("radio-stations", "ADDRESS", [stationOf("La 1"), stationOf("La 2")], 23);
  const { user } = renderPage("/content/duplicates");
  expect(await screen.findByRole("link", { name: "La 2" })).toHaveAttribute(
    "href",
    "/content/radio-stations/2/edit",
  );
  expect(screen.getByText("y 21 más, que aparecerán al combinar estos")).toBeVisible();
  expect(screen.getByText("ID 2 · 12 vistas")).toBeVisible();
  expect(screen.getByText(`En común: ${sharedUrl}`)).toBeVisible();
  await user.click(screen.getByRole("button", { name: /^Comparar y combinar La 1 \(ID 1\)/ }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText(/^Conserva su dirección/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Combinar" }));
  expect(await screen.findByText("Se combinaron en «La 1»")).toBeVisible();
  expect(sent).toEqual([{ version: 1, mergedId: 2, mergedVersion: 1 }]);
});

test("a merged show says what becomes of its seasons and episodes", async () => {
  twoOf("tv-shows", "TITLE_AND_YEAR", [{ links: null }, { links: null }]);
  const parts = (totalElements: number) =>
    HttpResponse.json({ content: [], page: 0, size: 1, totalPages: totalElements, totalElements });
  server.use(
    http.get("/api/tv-shows/:id/seasons", () => parts(1)),
    http.get("/api/tv-shows/:id/episodes", ({ params }) => parts(params.id === "1" ? 12 : 3)),
  );
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(
    await dialog.findByText(/^Las temporadas y los episodios del otro elemento pasan a este/),
  ).toBeVisible();
  expect(await dialog.findByText(/1 temporada · 12 episodios/)).toBeVisible();
  expect(dialog.getByText(/1 temporada · 3 episodios/)).toBeVisible();
});

test("fields of shows are called as in their form, and a merge has seasons and episodes read again", async () => {
  twoOf("tv-shows", "TITLE_AND_YEAR", [
    { links: null, totalSeasons: 2, creators: "Ana" },
    { links: null, totalSeasons: 3, creators: "Luis" },
  ]);
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByRole("row", { name: /^Temporadas/ })).toBeVisible();
  expect(dialog.getByRole("row", { name: /^Creadores/ })).toBeVisible();
  const read = vi.spyOn(QueryClient.prototype, "invalidateQueries");
  onTestFinished(() => read.mockRestore());
  await user.click(dialog.getByRole("button", { name: "Combinar" }));
  await waitFor(() => expect(read.mock.calls.map(([of]) => of?.queryKey)).toContainEqual(["series"]));
});

test("two episodes are compared with show, season and number", async () => {
  twoOf("episodes", "ADDRESS", [
    { showId: 7, tvShowId: 7, showTitle: "La casa azul", seasonNumber: 1, episodeNumber: 4 },
    { showId: 9, tvShowId: 9, showTitle: "La casa roja", seasonNumber: 2, episodeNumber: 5 },
  ]);
  const titles: Record<string, string> = { 7: "La casa azul", 9: "La casa roja" };
  server.use(
    http.get("/api/tv-shows/:id", ({ params }) =>
      HttpResponse.json({ ...sampleShow(), id: Number(params.id), title: titles[String(params.id)] }),
    ),
  );
  const { user } = renderPage("/content/duplicates");
  expect(await screen.findByText("La casa azul · S1E4 · ID 1 · 1927 · 1 enlace · 12 vistas")).toBeVisible();
  await user.click(screen.getByRole("button", { name: /^Comparar y combinar/ }));
  const dialog = within(await screen.findByRole("dialog"));
  const show = await dialog.findByRole("row", { name: /^Serie La casa azul La casa roja/ });
  expect(show).toBeVisible();
  expect(dialog.getByText(/La casa roja · S2E5/)).toBeVisible();
});

test("an episode is opened on the page of its show, and can be merged", async () => {
  twoOf("episodes", "ADDRESS", [{ showId: 7 }, { showId: 9 }]);
  renderPage("/content/duplicates");
  const [first] = await screen.findAllByRole("link", { name: "Metrópolis" });
  expect(first).toHaveAttribute("href", "/content/tv-shows/7/episodes?episode=1");
  expect(screen.getByRole("button", { name: /^Comparar y combinar/ })).toBeVisible();
});

test("two channels are merged, with their streams", async () => {
  const channel = (id: number, more: object = {}) => ({
    ...item(id, { title: "Canal Siete" }),
    url: `https://a.example/${id}.m3u8`,
    epgId: null,
    ...more,
  });
  server.use(
    http.get("/api/completeness/duplicates", () =>
      HttpResponse.json([{ kind: "tv-channels", reason: "ADDRESS", count: 1 }]),
    ),
    http.get("/api/tv-channels/duplicates", () => {
      const items = [
        item(3, { title: "Canal Siete", links: null }),
        item(8, { title: "Siete", links: null }),
      ];
      return HttpResponse.json({
        content: [{ value: null, year: null, items, total: 2 }],
        page: 0,
        size: 20,
        totalPages: 1,
        totalElements: 1,
      });
    }),
    http.get("/api/tv-channels/3/merge", () => {
      const kept = channel(3);
      const merged = channel(8, { title: "Siete", epgId: "siete.es" });
      const { links: _, ...together } = { ...kept, epgId: "siete.es", views: 24 };
      return HttpResponse.json({ kept: { ...kept, links: undefined }, merged, together });
    }),
    http.post("/api/tv-channels/3/merge", async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(channel(3, { version: 2 }));
    }),
  );
  const { user } = renderPage("/content/duplicates");
  await user.click(await screen.findByRole("button", { name: /^Comparar y combinar/ }));
  expect(screen.queryByText(/^En común/)).toBeNull();
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText(/^Las señales del otro elemento se añaden/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Combinar" }));
  await waitFor(() => expect(sent).toEqual([{ version: 1, mergedId: 8, mergedVersion: 1 }]));
});
