// Episodes and seasons of a series: their lists, and the form of one.
import { act, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../../testing/backend";
import { pasteInto } from "../../../testing/paste";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { episodesPage as page, sampleEpisode, sampleShow, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";
import { matching, nextNumbers } from "./names";

beforeEach(serveSeries);

const titles = () => screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent);

test("an earlier version of another show moves the episode back, and leads to that show", async () => {
  const item = backend.tables.episodes?.[0] as { id: number; version: number };
  const moved = { ...sampleEpisode(item.id), ...item };
  const bodies: unknown[] = [];
  const entry = {
    id: 1,
    occurredAt: "2026-11-20T10:00:00.000Z",
    actor: "eva",
    source: "REQUEST",
    address: null,
    operationId: null,
    action: "UPDATED",
    resource: "episodes",
    item: String(item.id),
    title: moved.title,
    before: { tvShowId: 9 },
    after: { tvShowId: 7 },
  };
  const { id: _id, version: _version, views: _views, updatedBy: _by, ...content } = moved;
  const { createdDate: _created, updatedDate: _updated, ...fields } = content;
  Object.assign(item, { version: 2 });
  server.use(
    http.get(`/api/episodes/${item.id}`, () => HttpResponse.json({ ...moved, version: 2 })),
    http.get(`/api/episodes/${item.id}/history`, () =>
      HttpResponse.json({
        content: [
          { ...entry, version: 2 },
          { ...entry, id: 0, version: 1, action: "CREATED", before: {}, after: {} },
        ],
        page: 0,
        size: 20,
        totalPages: 1,
        totalElements: 2,
      }),
    ),
    http.get(`/api/episodes/${item.id}/history/1`, () =>
      HttpResponse.json({ version: 1, content: { ...fields, tvShowId: 9 } }),
    ),
    http.put(`/api/episodes/${item.id}`, async ({ request }) => {
      bodies.push(await request.json());
      return HttpResponse.json({ ...moved, tvShowId: 9, version: 3 });
    }),
  );
  const { user, address } = renderPage(`${page}?episode=${item.id}`);
  await user.click(await screen.findByRole("button", { name: "Historial" }));
  await user.click(await screen.findByRole("button", { name: "Restaurar esta versión" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await user.click(await screen.findByRole("button", { name: "Actualizar Episodio" }));
  await waitFor(() => expect(bodies).toEqual([expect.objectContaining({ tvShowId: 9 })]));
  await waitFor(() => expect(address()).toBe("/content/tv-shows/9/episodes"));
});

describe("the episodes screen", () => {
  test("shows that it loads, and then all fields of an episode", async () => {
    server.use(
      http.get("/api/tv-shows/7", async () => {
        await delay(50);
        return HttpResponse.json(sampleShow());
      }),
    );
    renderPage(page);
    expect(await screen.findByText("Cargando serie...")).toBeVisible();
    expect(await screen.findByRole("heading", { level: 1, name: "La casa azul" })).toBeVisible();
    const facts = (term: string) => screen.getByText(term).nextElementSibling;
    expect(facts("Año")).toHaveTextContent("2019");
    expect(facts("Total de temporadas")).toHaveTextContent("2");
    expect(facts("Total de episodios")).toHaveTextContent("0");
    const row = (await screen.findByText("S1E1: El Camión")).closest("li") as HTMLElement;
    expect(row).toHaveTextContent("45 min");
    expect(row).toHaveTextContent("1 feb 2019");
    expect(row).toHaveTextContent("7,5/10");
    expect(row).toHaveTextContent("10 vistas");
    expect(row).toHaveTextContent("Empieza todo.");
    expect(sent("GET /api/tv-shows/7/episodes")[0]).toContain("_size=1000");
  });

  test("a show that cannot be loaded has a way back", async () => {
    server.use(http.get("/api/tv-shows/7", () => problem(403, { message: "Hoy no." })));
    const { user, address } = renderPage(page);
    expect(await screen.findByText("Error al cargar la serie")).toBeVisible();
    expect(screen.getByText("Hoy no.")).toBeVisible();
    await user.click(screen.getByRole("link", { name: "Volver a Series de TV" }));
    await waitFor(() => expect(address()).toBe("/content/tv-shows"));
  });

  test("seasons and the search filter, and are in the address", async () => {
    const { user, address } = renderPage(page);
    const seasons = await screen.findByRole("combobox", { name: "Temporada" });
    await screen.findByText("S1E1: El Camión");
    expect(
      within(seasons)
        .getAllByRole("option")
        .map((option) => option.textContent),
    ).toEqual(["Todas las temporadas", "Temporada 1", "Temporada 3"]);
    await user.selectOptions(seasons, "3");
    expect(titles()).toEqual(["S3E12: Regreso"]);
    expect(address()).toBe(`${page}?season=3`);
    await user.type(screen.getByPlaceholderText("Buscar por título o número..."), "camion");
    expect(await screen.findByText("No se encontraron episodios con los filtros aplicados")).toBeVisible();
    await user.selectOptions(seasons, "0");
    expect(titles()).toEqual(["S1E1: El Camión"]);
    expect(address()).toBe(`${page}?search=camion`);
  });

  test("a blank that was typed stays, for the word that follows", async () => {
    const { user, address } = renderPage(page);
    await screen.findByText("S1E1: El Camión");
    const search = screen.getByPlaceholderText("Buscar por título o número...");
    await user.type(search, "el ");
    await waitFor(() => expect(address()).toMatch(/search=el/));
    expect(search).toHaveValue("el ");
    await user.type(search, "cam");
    await waitFor(() => expect(address()).toMatch(/cam$/));
    expect(titles()).toEqual(["S1E1: El Camión"]);
  });

  test("a number finds episodes, from the address too", async () => {
    renderPage(`${page}?search=12`);
    await screen.findByText("S3E12: Regreso");
    expect(titles()).toEqual(["S3E12: Regreso"]);
  });

  test("all thousand episodes are loaded, page by page", async () => {
    // Those of the other season are not drawn: a thousand rows take half a minute in a browser that is none.
    backend.tables.episodes = Array.from({ length: 1003 }, (_, index) =>
      sampleEpisode(index + 1, { seasonNumber: index < 1000 ? 1 : 2 }),
    ) as unknown as NonNullable<typeof backend.tables.episodes>;
    renderPage(`${page}?season=2`);
    await screen.findByText("S2E1003: Capítulo 1003");
    expect(titles()).toEqual(["S2E1001: Capítulo 1001", "S2E1002: Capítulo 1002", "S2E1003: Capítulo 1003"]);
    expect(sent("GET /api/tv-shows/7/episodes")).toHaveLength(2);
  });

  test("rows beyond the first portion are added until all are rendered", async () => {
    backend.tables.episodes = Array.from({ length: 170 }, (_, index) => ({ ...sampleEpisode(index + 1) }));
    renderPage(page);
    expect(await screen.findByText("170 episodios")).toBeVisible();
    // Looking for a text in so many rows is slow.
    await waitFor(() => expect(document.querySelectorAll("[data-episode]")).toHaveLength(170));
  });

  test("the toggle comes back with the reason when the server refuses", async () => {
    server.use(
      http.patch("/api/tv-shows/7/episodes/:id/status", async () => {
        await delay(50);
        return problem(403, { code: "FORBIDDEN", message: "No tienes permiso." });
      }),
    );
    const { user } = renderPage(page);
    const control = await screen.findByRole("switch", { name: "«S1E1: El Camión» activo" });
    await user.click(control);
    expect(control).not.toBeChecked();
    await waitFor(() => expect(control).toBeChecked());
    expect(await screen.findByText("No tienes permiso.")).toBeVisible();
    expect(screen.getByText("No se pudo desactivar «S1E1: El Camión»")).toBeVisible();
  });

  test("the toggle stays when the server agrees", async () => {
    const { user } = renderPage(page);
    const control = await screen.findByRole("switch", { name: "«S1E2: La llave» activo" });
    await user.click(control);
    await waitFor(() => expect(sent("PATCH")).toEqual(["PATCH /api/tv-shows/7/episodes/2/status"]));
    expect(backend.bodies).toContainEqual({ active: true });
    await waitFor(() => expect(control).toBeChecked());
  });

  test("after toggling, an episode is shown as another user saved it", async () => {
    const { user } = renderPage(page);
    const control = await screen.findByRole("switch", { name: "«S1E2: La llave» activo" });
    Object.assign(backend.tables.episodes?.[1] ?? {}, { version: 2, title: "La llave nueva" });
    await user.click(control);
    expect(await screen.findByText("S1E2: La llave nueva")).toBeVisible();
    expect(screen.getByRole("switch", { name: "«S1E2: La llave nueva» activo" })).toBeChecked();
    // Its qualities are not in the answer.
    await waitFor(() => expect(sent("GET /api/tv-shows/7/episodes?")).toHaveLength(2));
  });

  test("deleting confirms with the texts of the specification, then removes the row", async () => {
    const { user } = renderPage(page);
    await user.click(await screen.findByRole("button", { name: "Eliminar «S1E2: La llave»" }));
    const dialog = await screen.findByRole("dialog", {
      name: "¿Está seguro de que desea eliminar este episodio?",
    });
    await user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("Se eliminó «S1E2: La llave»")).toBeVisible();
    await waitFor(() => expect(screen.queryByText("S1E2: La llave")).not.toBeInTheDocument());
    expect(sent("DELETE")).toEqual(["DELETE /api/tv-shows/7/episodes/2"]);
  });

  test("the toast of a deletion undoes it", async () => {
    const before = structuredClone(backend.tables.episodes);
    server.use(
      http.post("/api/episodes/2/restore", () => {
        backend.tables.episodes = before ?? [];
        return HttpResponse.json({ id: 2 });
      }),
    );
    const { user } = renderPage(page);
    await user.click(await screen.findByRole("button", { name: "Eliminar «S1E2: La llave»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    await waitFor(() => expect(screen.queryByText("S1E2: La llave")).not.toBeInTheDocument());
    await user.click(await screen.findByRole("button", { name: "Deshacer" }));
    expect(await screen.findByText("Se restauró «S1E2: La llave»")).toBeVisible();
    expect(await screen.findByText("S1E2: La llave")).toBeVisible();
  });

  test("users who may only read cannot change anything", async () => {
    backend.user = { ...sampleCurrentUser, permissions: ["TVSHOW_READ"] };
    renderPage(page);
    await screen.findByText("S1E1: El Camión");
    expect(screen.queryByRole("switch")).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /Agregar|Importar|Eliminar/ })).not.toBeInTheDocument();
  });
});

describe("the form of an episode", () => {
  const addLink = async (user: ReturnType<typeof renderPage>["user"]) => {
    await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
    const dialog = await screen.findByRole("dialog", { name: "Añadir enlace" });
    await pasteInto(user, within(dialog).getByLabelText(/^URL/), "https://cdn.example.com/4.m3u8");
    await user.click(within(dialog).getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.click(within(dialog).getByRole("button", { name: "Añadir" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  };

  test("looked up first, then created, then back to the list", async () => {
    server.use(
      http.get("/api/lookup/titles/:id", ({ params, request }) => {
        expect(params.id).toBe("tt0959621");
        expect(new URL(request.url).searchParams.get("as")).toBe("episode");
        return HttpResponse.json({
          draft: {
            imdbId: "tt0959621",
            title: "Pilot",
            seasonNumber: 2,
            episodeNumber: 1,
            durationMinutes: 58,
          },
          unmatchedGenres: [],
        });
      }),
    );
    const { user, address } = renderPage(page);
    await user.click(await screen.findByRole("button", { name: "Agregar Episodio" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Crear Nuevo Episodio" })).toBeVisible();
    expect(address()).toBe(`${page}?new=1`);
    expect(screen.getByRole("button", { name: "Buscar" })).toBeDisabled();
    await user.type(screen.getByLabelText("ID de IMDB"), "0959621{Enter}");
    expect(await screen.findByLabelText(/^Título/)).toHaveValue("Pilot");
    expect(screen.getByLabelText(/^Temporada/)).toHaveValue("2");
    await addLink(user);
    await user.click(screen.getByRole("button", { name: "Crear Episodio" }));
    expect(await screen.findByText("Se creó «S2E1: Pilot»")).toBeVisible();
    expect(await screen.findByRole("link", { name: "S2E1: Pilot" })).toBeVisible();
    expect(address()).toBe(page);
    const created = backend.bodies.find((body) => (body as { title?: string }).title === "Pilot");
    expect(created).toMatchObject({
      tvShowId: 7,
      imdbId: "tt0959621",
      seasonNumber: 2,
      episodeNumber: 1,
      durationMinutes: 58,
      active: true,
      links: [{ quality: "FHD", url: "https://cdn.example.com/4.m3u8", audioLanguages: ["SPANISH"] }],
    });
  });

  test("manually it begins with the next number of the season, and is validated before it is sent", async () => {
    const { user } = renderPage(`${page}?new=1&season=1`);
    await user.click(await screen.findByRole("button", { name: "Llenar formulario manualmente" }));
    expect(await screen.findByLabelText(/^Temporada/)).toHaveValue("1");
    expect(screen.getByLabelText(/^Episodio/)).toHaveValue("3");
    await user.click(screen.getByRole("button", { name: "Crear Episodio" }));
    await waitFor(() => expect(screen.getByLabelText(/^Título/)).toHaveFocus());
    expect(screen.getByText("Añade al menos un enlace")).toBeVisible();
    expect(sent("POST /api/tv-shows")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Buscar por IMDB" }));
    expect(await screen.findByRole("button", { name: "Buscar" })).toBeVisible();
  });

  test("a second episode of the same number is refused with a message, and nothing is lost", async () => {
    const message = "Esa temporada ya tiene un episodio con ese número: «El Camión»";
    let answer = () => {};
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    server.use(
      http.post("/api/tv-shows/7/episodes", async () => {
        await answered;
        return problem(409, { code: "CONFLICT", message });
      }),
    );
    const { user } = renderPage(`${page}?new=1`);
    await user.click(await screen.findByRole("button", { name: "Llenar formulario manualmente" }));
    await user.type(await screen.findByLabelText(/^Título/), "Doble");
    await user.type(screen.getByLabelText(/^Duración/), "50");
    await addLink(user);
    await user.click(screen.getByRole("button", { name: "Crear Episodio" }));
    expect(await screen.findByRole("button", { name: "Guardando..." })).toBeVisible();
    answer();
    expect(await screen.findByText(message)).toBeVisible();
    expect(screen.getByLabelText(/^Título/)).toHaveValue("Doble");
    expect(screen.getByText("https://cdn.example.com/4.m3u8")).toBeVisible();
  });

  test("editing sends the whole episode with its version; a link's toggle waits for it", async () => {
    const { user, address } = renderPage(`${page}?search=camion`);
    await user.click(await screen.findByRole("link", { name: "Editar «S1E1: El Camión»" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Editar Episodio" })).toBeVisible();
    expect(address()).toBe(`${page}?search=camion&episode=1`);
    await user.click(await screen.findByRole("button", { name: /^Desactivar el enlace/ }));
    expect(sent("P")).not.toContain("PUT /api/tv-shows/7/episodes/1");
    await user.type(await screen.findByLabelText(/^Título/), " rojo");
    await user.click(screen.getByRole("button", { name: "Actualizar Episodio" }));
    expect(await screen.findByText("Se guardó «S1E1: El Camión rojo»")).toBeVisible();
    await waitFor(() => expect(address()).toBe(`${page}?search=camion`));
    expect(await screen.findByText("S1E1: El Camión rojo")).toBeVisible();
    expect(sent("PUT")).toEqual(["PUT /api/tv-shows/7/episodes/1"]);
    expect(backend.tables.episodes?.[0]).toMatchObject({ links: [{ active: false }], version: 2 });
  });

  test("a link that another episode has is named with a link to that episode", async () => {
    server.use(
      http.get("/api/episodes", ({ request }) => {
        const url = new URL(request.url).searchParams.get("linkUrl");
        const content =
          url === "https://e.example.com/9" ? [sampleEpisode(1), sampleEpisode(60, { tvShowId: 8 })] : [];
        return HttpResponse.json({
          content,
          page: 0,
          size: 10,
          totalPages: 1,
          totalElements: content.length,
        });
      }),
    );
    const { user } = renderPage(`${page}?episode=1`);
    await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
    const dialog = within(await screen.findByRole("dialog"));
    await pasteInto(user, await dialog.findByRole("textbox", { name: /^URL/ }), "https://e.example.com/9");
    const twin = await dialog.findByRole("link", { name: /^S1E60/ });
    expect(twin).toHaveAttribute("href", "/content/tv-shows/8/episodes?episode=60");
    await user.type(dialog.getByRole("textbox", { name: /^URL/ }), "9");
    await waitFor(() => expect(dialog.queryByRole("link", { name: /^S1E60/ })).not.toBeInTheDocument());
  });

  test("another user changed another field first: both changes are kept", async () => {
    const { user } = renderPage(`${page}?episode=1`);
    await user.type(await screen.findByLabelText(/^Título/), " rojo");
    Object.assign(backend.tables.episodes?.[0] ?? {}, { version: 5, durationMinutes: 60 });
    await user.click(screen.getByRole("button", { name: "Actualizar Episodio" }));
    expect(await screen.findByText("S1E1: El Camión rojo")).toBeVisible();
    expect(backend.tables.episodes?.[0]).toMatchObject({ durationMinutes: 60 });
  });

  test("an item that another user deleted meanwhile can be created again from the form", async () => {
    server.use(
      http.put("/api/tv-shows/7/episodes/1", () =>
        problem(404, { code: "NOT_FOUND", message: "No existe." }),
      ),
    );
    const { user, address } = renderPage(`${page}?episode=1`);
    const title = await screen.findByLabelText(/^Título/);
    await user.clear(title);
    await user.type(title, "El tren");
    await user.click(screen.getByRole("button", { name: "Actualizar Episodio" }));
    const question = await screen.findByRole("dialog", { name: "Alguien lo ha eliminado" });
    expect(question).toHaveTextContent("«S1E1: El Camión» ya no existe.");
    await user.click(within(question).getByRole("button", { name: "Crear de nuevo" }));
    await screen.findByText("Se creó «S1E1: El tren»");
    await waitFor(() => expect(address()).toBe(page));
    expect(sent("POST /api/tv-shows/7/episodes")).toHaveLength(1);
    expect(backend.bodies.at(-1)).toMatchObject({ title: "El tren", seasonNumber: 1, episodeNumber: 1 });
  });

  test("leaving with changes needs a confirmation, although the path stays the same", async () => {
    const { user, address } = renderPage(`${page}?episode=1`);
    await user.type(await screen.findByLabelText(/^Título/), " rojo");
    await user.click(screen.getByRole("link", { name: "Volver a Episodios" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(address().replace(/\?$/, "")).toBe(page));
  });

  test.each([
    ["that is not there", 99],
    ["of another show", 50],
  ])("an episode %s says so, with a way back", async (_what, id) => {
    backend.tables.episodes?.push({ ...sampleEpisode(50, { tvShowId: 1 }) });
    const { user } = renderPage(`${page}?episode=${id}`);
    expect(await screen.findByText("El episodio no fue encontrado")).toBeVisible();
    await user.click(screen.getByRole("link", { name: "Volver a Episodios" }));
    expect(await screen.findByText("S1E1: El Camión")).toBeVisible();
  });
});

describe("seasons", () => {
  test("are listed, toggled, and lead to their episodes", async () => {
    const { user, address } = renderPage(page);
    await user.click(await screen.findByRole("link", { name: "Temporadas" }));
    expect(await screen.findByText("La vuelta")).toBeVisible();
    await user.click(screen.getByRole("switch", { name: "«Temporada 3» activo" }));
    await waitFor(() => expect(sent("PATCH")).toEqual(["PATCH /api/seasons/3/status"]));
    await user.click(screen.getByRole("link", { name: "1 episodio" }));
    expect(await screen.findByText("S3E12: Regreso")).toBeVisible();
    expect(address()).toBe(`${page}?season=3`);
  });

  test("a new one is created in a dialog", async () => {
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Añadir temporada" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir temporada" }));
    expect(await dialog.findByLabelText(/^Número/)).toHaveValue("4");
    await user.type(dialog.getByLabelText(/^Título/), "Final");
    await user.click(dialog.getByRole("button", { name: "Añadir temporada" }));
    expect(await screen.findByText("Se creó «Temporada 4»")).toBeVisible();
    expect(backend.bodies).toContainEqual(
      expect.objectContaining({ tvShowId: 7, seasonNumber: 4, title: "Final", active: true }),
    );
  });

  test("going back confirms while a season is typed", async () => {
    const { user, router, address } = renderPage(page, { initialEntries: [page, `${page}?tab=seasons`] });
    await user.click(await screen.findByRole("button", { name: "Añadir temporada" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir temporada" }));
    await user.type(await dialog.findByLabelText(/^Título/), "Final");
    await act(() => router.navigate(-1));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(address()).toBe(`${page}?tab=seasons`);
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("Final");
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    await act(() => router.navigate(-1));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(address()).toBe(page));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("one is edited with its version", async () => {
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.type(await dialog.findByLabelText(/^Título/), " de todos");
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("La vuelta de todos")).toBeVisible();
    expect(backend.tables.seasons?.[1]).toMatchObject({ version: 2 });
  });

  test("an earlier version of one comes out of its history into its form", async () => {
    Object.assign(backend.tables.seasons?.[1] ?? {}, { version: 2 });
    const entry = (version: number, more: object) => ({
      id: version,
      occurredAt: "2026-11-20T10:00:00.000Z",
      actor: "eva",
      source: "REQUEST",
      address: null,
      operationId: null,
      action: "UPDATED",
      resource: "seasons",
      item: "3",
      title: "Temporada 3",
      version,
      before: {},
      after: {},
      ...more,
    });
    server.use(
      http.get("/api/seasons/3/history", () =>
        HttpResponse.json({
          content: [
            entry(2, { before: { title: "El regreso" }, after: { title: "La vuelta" } }),
            entry(1, { action: "CREATED" }),
          ],
          page: 0,
          size: 20,
          totalPages: 1,
          totalElements: 2,
        }),
      ),
      http.get("/api/seasons/3/history/1", () =>
        HttpResponse.json({
          version: 1,
          content: { tvShowId: 7, seasonNumber: 3, title: "El regreso", active: true },
        }),
      ),
    );
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.click(await dialog.findByRole("button", { name: "Historial" }));
    const name = "Historial de «Temporada 3»";
    const history = () => screen.findByRole("dialog", { name });
    // Also in the values of the first version, once they are there.
    const [replaced] = await within(await history()).findAllByText("El regreso");
    expect(replaced).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog", { name })).not.toBeInTheDocument());
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("La vuelta");
    await user.click(dialog.getByRole("button", { name: "Historial" }));
    await user.click(await within(await history()).findByRole("button", { name: "Restaurar esta versión" }));
    await waitFor(() => expect(dialog.getByLabelText(/^Título/)).toHaveValue("El regreso"));
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() =>
      expect(backend.tables.seasons?.[1]).toMatchObject({ title: "El regreso", version: 3 }),
    );
  });

  test("one that another user deleted meanwhile can be created again from the form", async () => {
    server.use(http.put("/api/seasons/3", () => problem(404, { code: "NOT_FOUND", message: "No existe." })));
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.type(await dialog.findByLabelText(/^Título/), " de todos");
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    const question = await screen.findByRole("dialog", { name: "Alguien lo ha eliminado" });
    expect(question).toHaveTextContent("«Temporada 3» ya no existe.");
    await user.click(within(question).getByRole("button", { name: "Crear de nuevo" }));
    expect(await screen.findByText("Se creó «Temporada 3»")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(backend.bodies.at(-1)).toMatchObject({
      tvShowId: 7,
      seasonNumber: 3,
      title: "La vuelta de todos",
    });
    expect(sent("POST /api/seasons")).toHaveLength(1);
  });

  test("one that has episodes stays, and the reason is shown", async () => {
    const message = "La temporada tiene 2 episodios.";
    server.use(http.delete("/api/seasons/:id", () => problem(409, { code: "IN_USE", message })));
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Eliminar «Temporada 1»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText(message)).toBeVisible();
  });
});

test("episodes are found by accents left out and by number", () => {
  const rows = [sampleEpisode(1, { title: "Adiós" }), sampleEpisode(12, { seasonNumber: 2 })];
  expect(matching(rows, 0, "ADIOS")).toEqual([rows[0]]);
  expect(matching(rows, 1, "12")).toEqual([]);
  expect(matching(rows, 0, "2")).toEqual([rows[1]]);
  expect(nextNumbers(rows, 0)).toEqual({ seasonNumber: 2, episodeNumber: 13 });
  expect(nextNumbers([], 0)).toEqual({ seasonNumber: 1, episodeNumber: 1 });
  expect(nextNumbers(rows, 5)).toEqual({ seasonNumber: 5, episodeNumber: 1 });
});
