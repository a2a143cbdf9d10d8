// Seasons and episodes by the hundred: selected, changed, exported and imported, in their show and across shows.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { episodesPage, sampleEpisode, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";

let requested: Record<string, unknown>[];

beforeEach(() => {
  serveSeries();
  requested = [];
  server.use(
    http.post("/api/operations", async ({ request }) => {
      requested.push((await request.json()) as Record<string, unknown>);
      return HttpResponse.json({}, { status: 500 });
    }),
  );
});

type User = ReturnType<typeof renderPage>["user"];

const bar = () => screen.findByRole("region", { name: "Selección" });

/** Previews another host in the addresses of the links that are selected. */
async function replaceHost(user: User) {
  await user.click(within(await bar()).getByRole("button", { name: "Cambiar…" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("combobox", { name: "Qué cambiar" }));
  await user.click(await screen.findByRole("option", { name: "Enlaces: buscar y reemplazar" }));
  await user.type(within(dialog).getByRole("textbox", { name: "Buscar" }), "cdn.example.com");
  await user.type(within(dialog).getByRole("textbox", { name: "Reemplazar por" }), "cdn2.example.com");
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  await waitFor(() => expect(requested).toHaveLength(1));
}

const action = {
  type: "REPLACE",
  fields: ["links"],
  find: "cdn.example.com",
  replacement: "cdn2.example.com",
};

test("a range of episodes gets another host in its addresses", async () => {
  const { user } = renderPage(episodesPage);
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «S1E1: El Camión»" }));
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar «S3E12: Regreso»" }));
  await user.keyboard("{/Shift}");
  expect(within(await bar()).getByText("3 seleccionados")).toBeVisible();
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar «S1E2: La llave»" }));
  await replaceHost(user);
  expect(requested[0]).toMatchObject({ resource: "episodes", ids: [1, 3], dryRun: true, action });
});

test("all episodes of a season are changed by the filter of the list", async () => {
  const { user } = renderPage(`${episodesPage}?season=1`);
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «S1E1: El Camión»" }));
  await user.click(within(await bar()).getByRole("button", { name: "Seleccionar los 2 que coinciden" }));
  await replaceHost(user);
  expect(requested[0]).toMatchObject({
    resource: "episodes",
    filter: { tvShowId: 7, seasonNumber: 1 },
    action,
  });
  expect(requested[0]?.ids).toBeUndefined();
});

test("all episodes that a search finds are changed by the filter that the server has for it", async () => {
  backend.tables.episodes = [
    sampleEpisode(1, { title: "Al fin" }),
    sampleEpisode(2, { title: "La sal" }),
    sampleEpisode(3, { title: "Regreso" }),
  ];
  const { user } = renderPage(`${episodesPage}?search=%C3%81L`);
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «S1E1: Al fin»" }));
  await user.click(within(await bar()).getByRole("button", { name: "Seleccionar los 2 que coinciden" }));
  await replaceHost(user);
  expect(requested[0]).toMatchObject({ filter: { tvShowId: 7, titleOrNumber: "ÁL" }, action });
  expect(requested[0]?.ids).toBeUndefined();
});

test("a deleted episode is selected no longer", async () => {
  const { user } = renderPage(episodesPage);
  for (const name of ["S1E1: El Camión", "S1E2: La llave"])
    await user.click(await screen.findByRole("checkbox", { name: `Seleccionar «${name}»` }));
  await user.click(screen.getByRole("button", { name: "Eliminar «S1E1: El Camión»" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
  expect(await within(await bar()).findByText("1 seleccionado")).toBeVisible();
});

test("the result of a deletion stays once the episodes are gone from the list", async () => {
  const operation = {
    id: 1,
    resource: "episodes",
    action: { type: "DELETE" },
    dryRun: true,
    state: "FINISHED",
    createdBy: "ana",
    createdDate: "2026-11-20T10:00:00.000Z",
    total: 1,
    done: 1,
    counts: { changed: 1, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 0 },
  };
  const undone = {
    ...operation,
    id: 2,
    dryRun: false,
    undoUntil: new Date(Date.now() + 86_400_000).toISOString(),
  };
  server.use(
    http.post("/api/operations", async ({ request }) => {
      const { dryRun } = (await request.json()) as { dryRun: boolean };
      if (!dryRun) backend.tables.episodes = [sampleEpisode(2, { title: "La llave" })];
      return HttpResponse.json(dryRun ? operation : undone, { status: 202 });
    }),
    http.get("/api/operations/:id/rows", () => HttpResponse.json([])),
    http.get("/api/operations/1", () => HttpResponse.json(operation)),
    http.get("/api/operations/2", () => HttpResponse.json(undone)),
  );
  const { user } = renderPage(episodesPage);
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «S1E1: El Camión»" }));
  await user.click(within(await bar()).getByRole("button", { name: "Eliminar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(await dialog.findByRole("button", { name: "Eliminar 1" }));
  await waitFor(() => expect(screen.queryByText("S1E1: El Camión")).toBeNull());
  expect(dialog.getByRole("button", { name: "Deshacer" })).toBeVisible();
});

test("seasons are selected, too", async () => {
  const { user } = renderPage(`${episodesPage}?tab=seasons`);
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «Temporada 3: La vuelta»" }));
  await user.click(within(await bar()).getByRole("button", { name: "Eliminar…" }));
  await waitFor(() => expect(requested[0]).toMatchObject({ resource: "seasons", ids: [3] }));
});

test("users who may only read cannot select", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVSHOW_READ"] };
  renderPage(`${episodesPage}?tab=seasons`);
  await screen.findByText("La vuelta");
  expect(screen.queryByRole("checkbox")).toBeNull();
});

test("the episodes of a season are exported", async () => {
  server.use(
    http.get("/api/episodes/spreadsheet/columns", () =>
      HttpResponse.json(
        ["id", "seasonNumber", "episodeNumber", "title"].map((key) => ({ key, heading: key })),
      ),
    ),
  );
  const { user } = renderPage(`${episodesPage}?season=1`);
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" });
  await within(dialog).findByRole("checkbox", { name: "title" });
  const address = within(dialog).getByRole("link", { name: "Descargar" }).getAttribute("href") ?? "";
  expect(address).toMatch(/^\/api\/episodes\/spreadsheet/);
  expect(Object.fromEntries(new URL(address, "http://x").searchParams)).toMatchObject({
    tvShowId: "7",
    seasonNumber: "1",
    // As the list shows it: «S1E1: El Camión».
    columns: "seasonNumber,episodeNumber,title",
    _sort: "+seasonNumber,+episodeNumber",
  });
});

test("rows of a file that name no show are of the show whose episodes are imported", async () => {
  let headings = ["seasonNumber"];
  const field = (key: string) => ({ key, heading: key });
  server.use(
    http.post("/api/episodes/spreadsheet-imports", () =>
      HttpResponse.json(
        {
          id: 5,
          fileName: "x.csv",
          rows: 1,
          worksheet: null,
          worksheets: [],
          columns: headings.map((key) => ({ heading: key, key, samples: ["1"], fits: [] })),
          fields: ["seasonNumber", "tvShowId", "tvShowId.name"].map(field),
        },
        { status: 201 },
      ),
    ),
  );
  const { user } = renderPage(episodesPage);
  const choose = async () => {
    const dialog = await screen.findByRole("dialog", { name: "Importar una hoja de cálculo" });
    await user.upload(within(dialog).getByLabelText("Archivo"), new File(["x"], "x.csv"));
    return dialog;
  };
  await user.click(await screen.findByRole("button", { name: "Importar…" }));
  const dialog = await choose();
  expect(await within(dialog).findByDisplayValue("7")).toBeVisible();
  // A default is not an edit of the user: the dialog closes without a confirmation.
  await user.keyboard("{Escape}");
  await waitFor(() => expect(dialog).not.toBeInTheDocument());

  headings = ["seasonNumber", "tvShowId.name"];
  await user.click(screen.getByRole("button", { name: "Importar…" }));
  const other = await choose();
  expect(await within(other).findAllByText("tvShowId.name")).not.toEqual([]);
  expect(within(other).queryByDisplayValue("7")).toBeNull();
});

test("episodes of all shows are listed by what they lack, and lead to their form", async () => {
  const row = { ...sampleEpisode(4, { title: "Sin enlaces" }), tvShowTitle: "La casa azul" };
  const filters: (string | null)[] = [];
  server.use(
    http.get("/api/episodes", ({ request }) => {
      filters.push(new URL(request.url).searchParams.get("missing"));
      return HttpResponse.json({ content: [row], page: 0, size: 10, totalPages: 1, totalElements: 1 });
    }),
  );
  const { user, address } = renderPage("/content/episodes?missing=LINKS");
  expect(await screen.findByRole("heading", { level: 1 })).toHaveTextContent("Episodios sin enlaces");
  expect(await screen.findByRole("link", { name: "La casa azul" })).toHaveAttribute("href", episodesPage);
  expect(filters).toEqual(["LINKS"]);
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar «S1E4: Sin enlaces»" }));
  expect(within(await bar()).getByText("1 seleccionado")).toBeVisible();
  await user.click(screen.getByRole("link", { name: "S1E4: Sin enlaces" }));
  await waitFor(() => expect(address()).toBe(`${episodesPage}?episode=4`));
});

test("a season of the list of all shows opens its form on the page of its show", async () => {
  const [season] = backend.tables.seasons ?? [];
  backend.tables.seasons = [{ ...season, id: 3, tvShowTitle: "La casa azul" } as NonNullable<typeof season>];
  const { user, address } = renderPage("/content/seasons");
  await user.click(await screen.findByRole("link", { name: "Temporada 1" }));
  const dialog = await screen.findByRole("dialog", { name: "Editar la temporada 1" });
  await user.type(await within(dialog).findByRole("textbox", { name: /^Título/ }), "La vuelta");
  await user.click(within(dialog).getByRole("button", { name: /^Guardar/ }));
  // Leaving the address asks nothing: what was typed is saved.
  await waitFor(() => expect(address()).toBe(`${episodesPage}?tab=seasons`));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
