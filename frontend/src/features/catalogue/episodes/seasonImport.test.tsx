// A whole season is imported at once: looked up, shown, created in one call.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { localDraft } from "../../../forms/localDraft";
import { backend, problem, sent } from "../../../testing/backend";
import { losePage } from "../../../testing/leaving";
import { pasteInto } from "../../../testing/paste";
import { renderPage } from "../../../testing/render";
import { episodesPage as page, sampleEpisode, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";
import { rememberedImport, rememberImport } from "./importMemory";
import { filled, namesEpisode } from "./pattern";

beforeEach(serveSeries);

describe("importing a season", () => {
  const found = [1, 2, 3, 4].map((number) => ({
    imdbId: `tt100000${number}`,
    seasonNumber: 1,
    episodeNumber: number,
    title: `Uno ${number}`,
    airDate: "2019-02-08",
    ...(number !== 4 && { durationMinutes: 40 + number }),
    rating: 8.2,
    englishSynopsis: "It begins.",
  }));

  const open = async () => {
    server.use(
      http.get("/api/lookup/titles/:id/episodes", ({ request }) => {
        const season = Number(new URL(request.url).searchParams.get("season"));
        return HttpResponse.json({ season, episodes: season === 1 ? found : [] });
      }),
    );
    const opened = renderPage(page);
    await screen.findByText("S1E1: El Camión");
    await opened.user.click(screen.getByRole("button", { name: "Importar temporada" }));
    const dialog = await screen.findByRole("dialog", { name: "Importar temporada" });
    const season = await within(dialog).findByLabelText(/^Temporada/);
    // The first one that is missing is suggested.
    expect(season).toHaveValue("2");
    return { ...opened, dialog: within(dialog), season };
  };

  const preview = async () => {
    const opened = await open();
    await opened.user.clear(opened.season);
    await opened.user.type(opened.season, "1{Enter}");
    await opened.dialog.findByLabelText("S1E3: Uno 3");
    return opened;
  };

  test("proposes the link values of the last import of the show", async () => {
    rememberImport("ana", 7, {
      pattern: "https://cdn.example.com/{season}/{episode}.m3u8",
      quality: "HD",
      audioLanguages: ["ENGLISH"],
      subtitleLanguages: [],
    });
    const { user, dialog } = await preview();
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/{season}/{episode}.m3u8");
    expect(dialog.getByRole("combobox", { name: /^Calidad/ })).toHaveDisplayValue(/^HD/);
    // What was only proposed is nothing to lose.
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await waitFor(() =>
      expect(screen.queryByRole("dialog", { name: "Importar temporada" })).not.toBeInTheDocument(),
    );
  });

  test("omits existing episodes, looks up all at once, and creates the others in one call", async () => {
    const { user, dialog } = await preview();
    const existing = dialog.getByLabelText("S1E1: Uno 1");
    expect(existing).toBeDisabled();
    expect(existing).not.toBeChecked();
    expect(existing).toHaveAccessibleDescription("Ya está en el catálogo");
    expect(dialog.getByLabelText("S1E3: Uno 3")).toBeChecked();
    await user.type(
      dialog.getByLabelText(/^Patrón/),
      "https://cdn.example.com/s{{season:2}/e{{episode:2}-{{episode}.m3u8",
    );
    expect(await dialog.findByText("https://cdn.example.com/s01/e03-3.m3u8")).toBeVisible();
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.type(dialog.getByLabelText(/^Minutos por defecto/), "45");
    await user.click(dialog.getByRole("button", { name: "Crear 2 episodios" }));
    expect(await screen.findByText("Se crearon 2 episodios")).toBeVisible();
    expect(await screen.findByText("S1E4: Uno 4")).toBeVisible();
    expect(screen.queryByRole("dialog", { name: "Importar temporada" })).not.toBeInTheDocument();
    expect(sent("POST /api/tv-shows")).toEqual(["POST /api/tv-shows/7/episodes/batch"]);
    // The next season has the same address, quality and languages as defaults, but not for another user.
    expect(rememberedImport("eva", 7)?.pattern).toBe("");
    expect(rememberedImport("ana", 7)).toEqual({
      pattern: "https://cdn.example.com/s{season:2}/e{episode:2}-{episode}.m3u8",
      quality: "FHD",
      audioLanguages: ["SPANISH"],
      subtitleLanguages: [],
    });
    const link = { quality: "FHD", audioLanguages: ["SPANISH"], subtitleLanguages: [], active: true };
    expect(backend.bodies.at(-1)).toMatchObject({
      episodes: [
        {
          tvShowId: 7,
          seasonNumber: 1,
          episodeNumber: 3,
          title: "Uno 3",
          imdbId: "tt1000003",
          airDate: "2019-02-08",
          durationMinutes: 43,
          links: [{ ...link, url: "https://cdn.example.com/s01/e03-3.m3u8" }],
        },
        {
          episodeNumber: 4,
          durationMinutes: 45,
          links: [{ ...link, url: "https://cdn.example.com/s01/e04-4.m3u8" }],
        },
      ],
    });
  });

  test("what is unticked is not created; the pattern must distinguish episodes", async () => {
    const { user, dialog } = await preview();
    const pattern = dialog.getByLabelText(/^Patrón/);
    await user.type(pattern, "https://cdn.example.com/all.m3u8");
    await user.click(dialog.getByRole("button", { name: "Crear 2 episodios" }));
    expect(await dialog.findByText(/^El patrón necesita \{episode\}/)).toBeVisible();
    expect(dialog.getByLabelText(/^Minutos por defecto/)).toBeInvalid();
    await user.click(dialog.getByLabelText("S1E4: Uno 4"));
    // Nothing without minutes is left to create, and one address for one episode is fine.
    expect(dialog.queryByLabelText(/^Minutos por defecto/)).not.toBeInTheDocument();
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.click(dialog.getByRole("button", { name: "Crear 1 episodio" }));
    expect(await screen.findByText("Se creó 1 episodio")).toBeVisible();
  });

  test("a title that is too short for an episode is named with its number", async () => {
    const { user, dialog, season } = await open();
    server.use(
      http.get("/api/lookup/titles/:id/episodes", () =>
        HttpResponse.json({ season: 1, episodes: [{ ...found[2], title: "Q" }] }),
      ),
    );
    await user.clear(season);
    await user.type(season, "1{Enter}");
    expect(await dialog.findByLabelText("S1E3: Episodio 3: Q")).toBeChecked();
  });

  test("searching again keeps the typed values, and for the same season the deselected episodes", async () => {
    const { user, dialog, season } = await preview();
    await pasteInto(user, dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/");
    await user.click(dialog.getByLabelText("S1E4: Uno 4"));
    const again = found.map((one) => ({ ...one, title: `${one.title}, bis` }));
    server.use(
      http.get("/api/lookup/titles/:id/episodes", () => HttpResponse.json({ season: 1, episodes: again }), {
        once: true,
      }),
    );
    await user.click(dialog.getByRole("button", { name: "Buscar temporada" }));
    expect(await dialog.findByLabelText("S1E4: Uno 4, bis")).not.toBeChecked();
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/");
    await user.clear(season);
    await user.type(season, "2{Enter}");
    await dialog.findByText("IMDB no tiene episodios de esa temporada.");
    await user.clear(season);
    await user.type(season, "1{Enter}");
    expect(await dialog.findByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/");
  });

  test("a refusal names the episode, and nothing is lost", async () => {
    server.use(
      http.post("/api/tv-shows/7/episodes/batch", () =>
        problem(422, {
          code: "VALIDATION_FAILED",
          message: "Hay datos que corregir.",
          errors: [{ field: "episodes[1].title", code: "TOO_SHORT", message: "Demasiado corto." }],
        }),
      ),
    );
    const { user, dialog } = await preview();
    await pasteInto(user, dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/{episode}.m3u8");
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.type(dialog.getByLabelText(/^Minutos por defecto/), "45");
    await user.click(dialog.getByRole("button", { name: "Crear 2 episodios" }));
    expect(await dialog.findByText("S1E4: Uno 4: Demasiado corto.")).toBeVisible();
    expect(dialog.getByText("No se importó ningún episodio")).toBeVisible();
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/{episode}.m3u8");
  });

  test("after a lost response the same body is sent again under its key", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/tv-shows/7/episodes/batch", async ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        const { episodes } = (await request.json()) as { episodes: object[] };
        if (keys.length > 1) return HttpResponse.json({ created: episodes.length }, { status: 201 });
        for (const number of [3, 4])
          backend.tables.episodes?.push({ ...sampleEpisode(number + 10), episodeNumber: number });
        return HttpResponse.error();
      }),
    );
    const { user, dialog } = await preview();
    await pasteInto(user, dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/{episode}.m3u8");
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.type(dialog.getByLabelText(/^Minutos por defecto/), "45");
    await user.click(dialog.getByRole("button", { name: "Crear 2 episodios" }));
    expect(await dialog.findByText("No se sabe si los episodios se importaron")).toBeVisible();
    expect(dialog.queryByText("No se importó ningún episodio")).not.toBeInTheDocument();
    expect(dialog.queryByText("Ya está en el catálogo")).not.toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Reintentar" }));
    expect(await screen.findByText("Se crearon 2 episodios")).toBeVisible();
    expect(screen.queryByRole("dialog", { name: "Importar temporada" })).not.toBeInTheDocument();
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);
    expect(rememberedImport("ana", 7)?.pattern).toBe("https://cdn.example.com/{episode}.m3u8");
  });

  test("closing with typed text needs a confirmation", async () => {
    const { user, dialog } = await preview();
    await pasteInto(user, dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("going back confirms while something is written, and closes the dialog", async () => {
    const { user, dialog, router } = await preview();
    await pasteInto(user, dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/");
    await act(() => router.navigate(`${page}?season=3`));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/");
    await act(() => router.navigate(`${page}?season=3`));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    await screen.findByText("S3E12: Regreso");
  });

  const offer = () => screen.findByText(/^Tenías cambios sin guardar/);
  const stored = () => localDraft("ana", "season-import 7")?.values;

  test("survives a crash: what was typed, for which season, and who is left out", async () => {
    const first = await preview();
    await first.user.type(first.dialog.getByLabelText(/^Patrón/), "https://cdn.example.com/");
    await first.user.click(first.dialog.getByLabelText("S1E4: Uno 4"));
    await waitFor(() => expect(stored()).toMatchObject({ left: { keys: [4] } }));
    losePage();
    const { user, dialog, season } = await open();
    await offer();
    await user.click(dialog.getByRole("button", { name: "Recuperar" }));
    expect(await dialog.findByLabelText("S1E4: Uno 4")).not.toBeChecked();
    expect(season).toHaveValue("1");
    expect(dialog.getByLabelText(/^Patrón/)).toHaveValue("https://cdn.example.com/");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });

  test("an episode that was left out and ticked again is imported after a crash too", async () => {
    const first = await preview();
    await first.user.type(first.dialog.getByLabelText(/^Minutos por defecto/), "45");
    await first.user.click(first.dialog.getByLabelText("S1E4: Uno 4"));
    await waitFor(() => expect(stored()).toMatchObject({ left: { keys: [4] } }));
    await first.user.click(first.dialog.getByLabelText("S1E4: Uno 4"));
    await waitFor(() => expect(stored()).toMatchObject({ minutes: 45, season: 1 }));
    await waitFor(() => expect(stored()?.left ?? null).toBeNull());
    losePage();
    const { user, dialog } = await open();
    await offer();
    await user.click(dialog.getByRole("button", { name: "Recuperar" }));
    expect(await dialog.findByLabelText("S1E4: Uno 4")).toBeChecked();
    expect(dialog.getByLabelText(/^Minutos por defecto/)).toHaveValue("45");
  });

  test("of which only a season was searched for leaves no draft", async () => {
    const { user, dialog } = await preview();
    await waitFor(() => expect(stored()).toMatchObject({ season: 1 }));
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });

  test("a season that is not there says so; a show without an id needs one", async () => {
    Object.assign(backend.tables["tv-shows"]?.[0] ?? {}, { imdbId: null });
    const { user, dialog } = await open();
    await user.click(dialog.getByRole("button", { name: "Buscar temporada" }));
    const id = dialog.getByLabelText(/^ID de IMDB/);
    await waitFor(() => expect(id).toBeInvalid());
    await user.type(id, "0903747{Enter}");
    expect(await dialog.findByText("IMDB no tiene episodios de esa temporada.")).toBeVisible();
    expect(sent("GET /api/lookup")).toEqual([]);
  });
});

test("patterns fill in numbers, padded if required", () => {
  const numbers = { season: 3, episode: 12 };
  expect(filled("s{season:2}e{episode:3}/{season}x{episode}", numbers)).toBe("s03e012/3x12");
  expect(filled("{other}{episode:}", numbers)).toBe("{other}{episode:}");
  expect(namesEpisode("{season}")).toBe(false);
  expect(namesEpisode("{episode:2}")).toBe(true);
});
