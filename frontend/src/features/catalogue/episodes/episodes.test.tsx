// The episodes of a show: their list, with search, toggles and deletion.
import { screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { episodesPage as page, sampleEpisode, sampleShow, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";
import { matching, nextNumbers } from "./names";

beforeEach(serveSeries);

const titles = () => screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent);

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

test("episodes are found by accents left out and by number", () => {
  const rows = [sampleEpisode(1, { title: "Adiós" }), sampleEpisode(12, { seasonNumber: 2 })];
  expect(matching(rows, 0, "ADIOS")).toEqual([rows[0]]);
  expect(matching(rows, 1, "12")).toEqual([]);
  expect(matching(rows, 0, "2")).toEqual([rows[1]]);
  expect(nextNumbers(rows, 0)).toEqual({ seasonNumber: 2, episodeNumber: 13 });
  expect(nextNumbers([], 0)).toEqual({ seasonNumber: 1, episodeNumber: 1 });
  expect(nextNumbers(rows, 5)).toEqual({ seasonNumber: 5, episodeNumber: 1 });
});
