// The form of an episode, and the restoration of an earlier version.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../../testing/backend";
import { historyEntry, historyPage } from "../../../testing/history";
import { pasteInto } from "../../../testing/paste";
import { renderPage } from "../../../testing/render";
import { episodesPage as page, sampleEpisode, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";

beforeEach(serveSeries);

test("an earlier version of another show moves the episode back, and leads to that show", async () => {
  const item = backend.tables.episodes?.[0] as { id: number; version: number };
  const moved = { ...sampleEpisode(item.id), ...item };
  const bodies: unknown[] = [];
  const entry = (version: number, more: Parameters<typeof historyEntry>[0]) =>
    historyEntry({ id: version, version, resource: "episodes", item: String(item.id), ...more });
  const { id: _id, version: _version, views: _views, updatedBy: _by, ...content } = moved;
  const { createdDate: _created, updatedDate: _updated, ...fields } = content;
  Object.assign(item, { version: 2 });
  server.use(
    http.get(`/api/episodes/${item.id}`, () => HttpResponse.json({ ...moved, version: 2 })),
    http.get(`/api/episodes/${item.id}/history`, () =>
      HttpResponse.json(
        historyPage([
          entry(2, { before: { tvShowId: 9 }, after: { tvShowId: 7 } }),
          entry(1, { action: "CREATED" }),
        ]),
      ),
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
