// Series: their list, their creation and their own page, with a link to their episodes.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { chooseLanguage } from "../../../i18n";
import { backend, sent } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { episodesPage as page, sampleShow, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";

beforeEach(serveSeries);

describe("shows", () => {
  test("the list leads to the episodes, by number or without one", async () => {
    backend.tables["tv-shows"]?.push({
      ...sampleShow({ id: 8, title: "Otra", totalEpisodes: 24 }),
      episodesStored: 0,
    });
    const { user, address } = renderPage("/content/tv-shows");
    const row = within(
      (await screen.findByRole("link", { name: "La casa azul" })).closest("tr") as HTMLElement,
    );
    expect(row.getByRole("link", { name: /^N\/A/ })).toHaveTextContent("N/A");
    expect(screen.getByPlaceholderText("Buscar series...")).toBeVisible();
    await user.click(screen.getByRole("link", { name: /^0 de 24/ }));
    await waitFor(() => expect(address()).toBe("/content/tv-shows/8/episodes"));
    expect(await screen.findByText("No hay episodios agregados aún")).toBeVisible();
  });

  test("deleting says how many seasons and episodes go with it", async () => {
    const { user } = renderPage("/content/tv-shows");
    await user.click(await screen.findByRole("button", { name: "Eliminar «La casa azul»" }));
    expect(await screen.findByRole("dialog")).toHaveTextContent(
      "Se eliminará «La casa azul» con 2 temporadas y 3 episodios. Se puede restaurar durante 30 días.",
    );
  });

  test("an episode of a show whose deletion was undone is deleted with its present version", async () => {
    const [show] = backend.tables["tv-shows"] ?? [];
    const versions: (string | null)[] = [];
    server.use(
      http.post("/api/tv-shows/7/restore", () => {
        backend.tables["tv-shows"] = show ? [show] : [];
        for (const episode of backend.tables.episodes ?? []) episode.version += 1;
        return HttpResponse.json(show);
      }),
      http.delete("/api/tv-shows/:show/episodes/:id", ({ request }) => {
        versions.push(request.headers.get("if-match"));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user, router } = renderPage(page);
    await screen.findByText("S1E1: El Camión");
    await act(() => router.navigate("/content/tv-shows"));
    await user.click(await screen.findByRole("button", { name: "Eliminar «La casa azul»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    await user.click(await screen.findByRole("button", { name: "Deshacer" }));
    await screen.findByText("Se restauró «La casa azul»");
    const reads = sent("GET /api/tv-shows/7/episodes?").length;
    await act(() => router.navigate(page));
    await waitFor(() => expect(sent("GET /api/tv-shows/7/episodes?").length).toBeGreaterThan(reads));
    await user.click(await screen.findByRole("button", { name: "Eliminar «S1E1: El Camión»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    await waitFor(() => expect(versions).toEqual(['"2"']));
  });

  test("a new show, looked up, leads to its episodes", async () => {
    server.use(
      http.get("/api/lookup/titles/:id", ({ params, request }) => {
        expect(params.id).toBe("tt0903747");
        expect(new URL(request.url).searchParams.get("as")).toBe("tv-show");
        return HttpResponse.json({
          draft: {
            imdbId: "tt0903747",
            title: "Breaking Bad",
            year: 2008,
            totalSeasons: 5,
            genres: ["DRAMA"],
          },
          unmatchedGenres: [],
        });
      }),
      http.post("/api/tv-shows", async ({ request }) => {
        const tvShow = { ...sampleShow(), ...((await request.json()) as object), id: 9 };
        backend.tables["tv-shows"]?.push(tvShow);
        return HttpResponse.json({ success: true, message: "Serie creada.", tvShow }, { status: 201 });
      }),
    );
    const { user, address } = renderPage("/content/tv-shows/create");
    await user.type(await screen.findByLabelText("ID de IMDB"), "0903747{Enter}");
    expect(await screen.findByLabelText(/^Título/)).toHaveValue("Breaking Bad");
    expect(screen.getByLabelText(/^Temporadas/)).toHaveValue("5");
    await user.click(screen.getByRole("combobox", { name: /^Categoría/ }));
    await user.click(await screen.findByRole("option", { name: "Series" }));
    await user.click(screen.getByRole("button", { name: "Crear serie" }));
    await waitFor(() => expect(address()).toBe("/content/tv-shows/9/episodes"));
    expect(await screen.findByRole("heading", { level: 1, name: "Breaking Bad" })).toBeVisible();
  });

  test("only an id finds a show", async () => {
    const { user } = renderPage("/content/tv-shows/create");
    await user.type(await screen.findByLabelText("ID de IMDB"), "breaking bad{Enter}");
    expect(await screen.findByText(/^Escribe un ID de IMDB/)).toBeVisible();
    expect(sent("GET /api/lookup")).toEqual([]);
  });

  test("after editing, back to the list", async () => {
    const { user, address } = renderPage("/content/tv-shows/7/edit");
    await user.type(await screen.findByLabelText(/^Título/), " 2{Enter}");
    await waitFor(() => expect(address()).toBe("/content/tv-shows"));
    expect(backend.tables["tv-shows"]?.[0]).toMatchObject({ title: "La casa azul 2" });
  });

  test("its own page shows its fields, its seasons and a link to its episodes", async () => {
    await chooseLanguage("en");
    renderPage("/content/tv-shows/7");
    expect(await screen.findByRole("heading", { level: 1, name: "TV Show Details" })).toBeVisible();
    expect(await screen.findByText("Luis Gil")).toBeVisible();
    expect(await screen.findByRole("link", { name: "Season 3" })).toHaveAttribute("href", `${page}?season=3`);
    expect(screen.getByRole("link", { name: "View episodes" })).toHaveAttribute("href", page);
  });
});
