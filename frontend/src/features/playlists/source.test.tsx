// The page of a source: what stopped its last run, and the categories of its groups.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem } from "../../testing/backend";
import { expectLeavingConfirms, losePage } from "../../testing/leaving";
import { operation } from "../../testing/operations";
import { changeCounts, page, run, source } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { Run } from "./queries";

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "Mi rol",
    permissions: ["PLAYLIST_READ", "PLAYLIST_UPDATE"],
  };
  server.use(
    http.get("/api/playlist-sources/1", () => HttpResponse.json(source)),
    http.get("/api/playlist-sources/1/runs/:run/changes", () => HttpResponse.json(page([]))),
    http.get("/api/playlist-sources/1/runs/:run/counts", () => HttpResponse.json(changeCounts)),
  );
});

const withRuns = (...runs: Run[]) =>
  server.use(http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page(runs))));

test("an uploaded list that lacks too much is accepted by uploading it again", async () => {
  const uploads: string[] = [];
  withRuns({ ...run, id: 6, state: "STOPPED", fault: "TOO_MANY_MISSING", fileName: "nueva.m3u" }, run);
  server.use(
    http.post("/api/playlist-sources/1/upload", ({ request }) => {
      uploads.push(new URL(request.url).search);
      return HttpResponse.json({ ...run, id: 7 }, { status: 202 });
    }),
  );
  const { user } = renderPage("/content/playlists/1");
  expect(await screen.findByRole("button", { name: "Leer «nueva.m3u» de todos modos…" })).toBeVisible();
  await user.upload(
    screen.getByLabelText("Archivo de la lista, otra vez"),
    new File(["#EXTM3U"], "nueva.m3u", { type: "audio/x-mpegurl" }),
  );
  await waitFor(() => expect(uploads).toEqual(["?fileName=nueva.m3u&acceptLoss=true"]));
});

test("a list of which no line could be read says which, and why", async () => {
  const counts = { ...run.counts, entries: 0, refused: 1 };
  withRuns({ ...run, id: 6, state: "FAILED", fault: "EMPTY", counts });
  server.use(
    http.get("/api/playlist-sources/1/runs/6/lines", () =>
      HttpResponse.json(
        page([
          { line: 3, code: "UNKNOWN_SCHEME", message: "No se conoce rtmpx", text: "rtmpx://a", ofLine: null },
        ]),
      ),
    ),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "1 línea rechazada" }));
  expect(await screen.findByText(/No se conoce rtmpx/)).toBeVisible();
});

describe("what was applied last", () => {
  const links = () =>
    within(screen.getByRole("navigation", { name: "Lo último que se aplicó" }))
      .getAllByRole("link")
      .map((link) => link.getAttribute("href"));

  let requested: number[];

  beforeEach(() => {
    requested = [];
    const applied = new Map([
      [3, operation(3, { resource: "radio-stations" })],
      [7, operation(7, { resource: "tv-channels" })],
      [8, operation(8, { resource: "radio-stations" })],
      [9, operation(9, { resource: "radio-stations", undoneBy: 10 })],
    ]);
    server.use(
      http.get("/api/operations/:id", ({ params: { id } }) => {
        requested.push(Number(id));
        const found = applied.get(Number(id));
        return found ? HttpResponse.json(found) : problem(404, { code: "NOT_FOUND", message: "No existe." });
      }),
    );
  });

  test("leads to its operations, of channels and of stations", async () => {
    withRuns({ ...run, operations: [3, 7, 8] });
    renderPage("/content/playlists/1");
    expect(await screen.findByRole("link", { name: /^Canales de TV 20/ })).toBeVisible();
    await waitFor(() => expect(links()).toEqual(["/operations?operation=7", "/operations?operation=8"]));
  });

  test("stays after a run that applied nothing", async () => {
    withRuns({ ...run, id: run.id + 1, operations: [] }, { ...run, operations: [7] });
    renderPage("/content/playlists/1");
    await screen.findByText("Lo último que se aplicó");
    await waitFor(() => expect(links()).toEqual(["/operations?operation=7"]));
  });

  test("does not lead to what was undone", async () => {
    withRuns({ ...run, operations: [7, 9] });
    const { idle } = renderPage("/content/playlists/1");
    await screen.findByText("Lo último que se aplicó");
    await idle();
    expect(links()).toEqual(["/operations?operation=7"]);
  });

  test("is not shown where another user applied it", async () => {
    withRuns({ ...run, operations: [1] });
    const { idle } = renderPage("/content/playlists/1");
    await waitFor(() => expect(requested).toContain(1));
    await idle();
    expect(screen.queryByText("Lo último que se aplicó")).toBeNull();
  });
});

test("the runs say which were not applied automatically, and why", async () => {
  withRuns(run, { ...run, id: 4, scheduled: true, createdBy: null, applyFault: "NOT_ALLOWED" });
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Más acciones para «Proveedor»" }));
  await user.click(await screen.findByRole("menuitem", { name: "Lecturas" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Lecturas" }));
  expect(dialog.getByText(/^Los cambios no se aplicaron solos/)).toBeVisible();
});

describe("guides that the list names", () => {
  const guides = ["https://epg.example.com/uno.xml", "https://epg.example.com/dos.xml.gz?clave=7"];
  const known = {
    id: 4,
    title: "Guía Uno",
    url: "https://EPG.example.com/uno.xml",
    active: true,
    version: 1,
  };
  const named = async () =>
    within(await screen.findByRole("list", { name: "Guías de TV que nombra la lista" }));

  beforeEach(() => {
    withRuns({ ...run, guides });
    server.use(
      http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
      http.get("/api/tv-guides", () => HttpResponse.json(page([known]))),
    );
  });
  const may = (...permissions: string[]) => {
    backend.user = { ...backend.user, permissions } as typeof backend.user;
  };

  test("open the form of a new one, filled in; one that is there already is a link to it", async () => {
    may("PLAYLIST_READ", "PLAYLIST_UPDATE", "TVGUIDE_READ", "TVGUIDE_CREATE", "TVGUIDE_UPDATE");
    const { user, address } = renderPage("/content/playlists/1");
    const list = await named();
    expect(await list.findByRole("link", { name: "Guía Uno" })).toHaveAttribute(
      "href",
      "/content/tv-guide/4/edit",
    );
    const buttons = list.getAllByRole("button");
    expect(buttons).toHaveLength(1);
    expect(buttons[0]).toHaveAccessibleName(`Añadir «${guides[1]}» como guía de TV`);
    await user.click(buttons[0] as HTMLElement);
    expect(await screen.findByRole("textbox", { name: /^Título/ })).toHaveValue("Proveedor");
    expect(address()).toBe("/content/tv-guide/create");
    expect(screen.getByRole("textbox", { name: /^URL de la guía/ })).toHaveValue(guides[1]);
    expect(screen.getByRole("switch", { name: /gzip/i })).toBeChecked();
  });

  test("are read-only for users who may not create guides", async () => {
    may("PLAYLIST_READ", "TVGUIDE_READ");
    renderPage("/content/playlists/1");
    const list = await named();
    expect(await list.findByText("Guía Uno")).toBeVisible();
    expect(list.getByText(guides[1] as string)).toBeVisible();
    expect(list.queryByRole("button")).toBeNull();
    expect(list.queryByRole("link")).toBeNull();
  });

  test("are no guides with a masked address", async () => {
    may("PLAYLIST_READ", "TVGUIDE_READ", "TVGUIDE_CREATE");
    withRuns({ ...run, guides: ["https://epg.example.com/dos.xml.gz?clave=***"] });
    renderPage("/content/playlists/1");
    const list = await named();
    await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(1));
    expect(list.queryByRole("button")).toBeNull();
  });
});

test.each<[string, number, string]>([
  ["none of the lines", 0, "No se guardó cuáles son (en total: 12)."],
  ["some of them", 1, "Se muestran 1 de 12: de cada lectura se guardan las primeras."],
])("where %s were kept, the dialog says so", async (_, kept, text) => {
  withRuns({ ...run, counts: { ...run.counts, duplicates: 12 } });
  const line = { line: 3, code: "SAME_ADDRESS", message: "La misma dirección", name: "Siete", ofLine: 1 };
  server.use(
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/playlist-sources/1/runs/5/lines", () => HttpResponse.json(page([line].slice(0, kept)))),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "12 repetidas" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Entradas repetidas" }));
  expect(await dialog.findByText(text)).toBeVisible();
  expect(dialog.queryAllByRole("listitem")).toHaveLength(kept);
});

test("the lines of a run have a file: of this run and of what the dialog lists", async () => {
  withRuns({ ...run, counts: { ...run.counts, duplicates: 1 } });
  const line = { line: 3, code: "SAME_ADDRESS", message: "La misma dirección", name: "Siete", ofLine: 1 };
  const columns = ["line", "change", "name", "reason", "ofLine"].map((key) => ({ key, heading: key }));
  server.use(
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/playlist-sources/1/runs/5/lines", () => HttpResponse.json(page([line]))),
    http.get("/api/spreadsheets/playlist-lines/columns", () => HttpResponse.json(columns)),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "1 repetida" }));
  const lines = within(await screen.findByRole("dialog", { name: "Entradas repetidas" }));
  await user.click(await lines.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: "reason" });
  const link = dialog.getByRole("link", { name: "Descargar" });
  expect(link).toHaveAttribute(
    "href",
    "/api/spreadsheets/playlist-lines?format=xlsx&language=es&columns=line%2Cname%2Creason%2CofLine&source=1&run=5&change=DUPLICATE",
  );
});

test.each(["/content/playlists/1", "/content/playlists/1/edit"])(
  "a source that was deleted meanwhile is not shown as it was read before: %s",
  async (address) => {
    withRuns(run);
    server.use(http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])));
    const { router } = renderPage("/content/playlists/1");
    await screen.findByRole("heading", { name: "Proveedor" });
    await act(() => router.navigate("/settings/sessions"));
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Proveedor" })).toBeNull());
    server.use(
      http.get("/api/playlist-sources/1", () =>
        problem(404, { code: "NOT_FOUND", message: "Esa fuente ya no existe." }),
      ),
    );
    await act(() => router.navigate(address));
    expect(await screen.findByText("Esa fuente ya no existe.")).toBeVisible();
    expect(screen.queryByRole("heading", { name: /Proveedor/ })).not.toBeInTheDocument();
  },
);

test("categories that could not be loaded are said to be so in the form, and are loaded again", async () => {
  const category = { id: 4, description: "Cine", englishDescription: "Films", active: true };
  server.use(
    http.get("/api/categories", () => problem(403, { message: "Hoy no." }), { once: true }),
    http.get("/api/categories", () => HttpResponse.json(page([category]))),
  );
  const { user } = renderPage("/content/playlists/1/edit");
  const field = await screen.findByRole("combobox", { name: /^Categoría/ });
  await waitFor(() => expect(field).toHaveAccessibleDescription(/Error al cargar opciones/));
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await waitFor(() => expect(field).not.toHaveAccessibleDescription(/Error al cargar opciones/));
  await user.click(field);
  expect(await screen.findByRole("option", { name: "Cine" })).toBeVisible();
});

describe("categories by group", () => {
  const groupsOf = (length: number) =>
    Array.from({ length }, (_, index) => ({
      group: `Grupo ${index + 1}`,
      entries: 2,
      new: 0,
      categoryId: null,
      suggestion: index === 0 || index === 59 ? 4 : null,
      adult: null,
      adultSuggestion: false,
    }));
  const groups = groupsOf(5);
  let saved: unknown[];

  beforeEach(() => {
    saved = [];
    withRuns(run);
    server.use(
      http.get("/api/playlist-sources/1/groups", () => HttpResponse.json(groups)),
      http.get("/api/categories", () =>
        HttpResponse.json(page([{ id: 4, description: "Cine", englishDescription: "Films", active: true }])),
      ),
      http.patch("/api/playlist-sources/1", async ({ request }) => {
        saved.push(((await request.json()) as { categories: unknown }).categories);
        return saved.length === 1
          ? problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: source })
          : HttpResponse.json({ ...source, version: 3 });
      }),
    );
  });

  async function open() {
    const screenOf = renderPage("/content/playlists/1");
    const { user } = screenOf;
    await user.click(await screen.findByRole("button", { name: "Categorías por grupo" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Categorías por grupo" }));
    await dialog.findByRole("combobox", { name: "Grupo 1" });
    return { ...screenOf, dialog };
  }

  async function choose({ user, dialog }: Awaited<ReturnType<typeof open>>, group: string) {
    await user.click(dialog.getByRole("combobox", { name: group }));
    await user.click(await screen.findByRole("option", { name: "Cine" }));
  }

  test("all are found, what nobody has seen is not saved, and a conflict is saved over", async () => {
    server.use(http.get("/api/playlist-sources/1/groups", () => HttpResponse.json(groupsOf(60))));
    const opened = await open();
    const { user, dialog } = opened;
    expect(dialog.queryByRole("combobox", { name: "Grupo 55" })).not.toBeInTheDocument();
    await user.click(dialog.getByLabelText("Buscar grupo"));
    await user.paste("grupo 55");
    await choose(opened, "Grupo 55");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    expect(await dialog.findByText("Otra persona lo cambió.")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(saved[1]).toEqual([
      { group: "Grupo 1", categoryId: 4 },
      { group: "Grupo 55", categoryId: 4 },
    ]);
  });

  test("groups for adults are ticked by their name, and what a user decides is saved", async () => {
    const adults = { ...groups[0], group: "XXX", suggestion: null, adultSuggestion: true };
    server.use(
      http.get("/api/playlist-sources/1/groups", () =>
        HttpResponse.json([...groups.slice(0, 3), adults, { ...adults, group: "Adult Swim" }]),
      ),
    );
    const { user, dialog } = await open();
    const adult = (group: string) => dialog.getByRole("checkbox", { name: `«${group}» es para adultos` });
    expect(adult("Grupo 2")).not.toBeChecked();
    expect(adult("XXX")).toBeChecked();
    expect(dialog.getAllByText("Propuesta por el nombre")).toHaveLength(2);
    await user.click(adult("Adult Swim"));
    await user.click(adult("Grupo 2"));
    expect(dialog.getAllByText("Propuesta por el nombre")).toHaveLength(1);
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() =>
      expect(saved[0]).toEqual([
        { group: "Grupo 1", categoryId: 4 },
        { group: "Grupo 2", adult: true },
        { group: "Adult Swim", adult: false },
      ]),
    );
  });

  test("where two chose for a group, the second one sees what was stored, and does not replace it unasked", async () => {
    const sport = { id: 5, description: "Deporte", englishDescription: "Sport", active: true };
    const film = { id: 4, description: "Cine", englishDescription: "Films", active: true };
    const theirs = {
      ...source,
      version: source.version + 1,
      categories: [
        { group: "Grupo 2", categoryId: 5 },
        { group: "Grupo 4", categoryId: 5 },
      ],
    };
    server.use(
      http.get("/api/categories", () => HttpResponse.json(page([film, sport]))),
      http.patch("/api/playlist-sources/1", async ({ request }) => {
        saved.push(((await request.json()) as { categories: unknown }).categories);
        return request.headers.get("If-Match")?.includes(String(theirs.version))
          ? HttpResponse.json({ ...theirs, version: theirs.version + 1 })
          : problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: theirs });
      }),
    );
    const opened = await open();
    const { user, dialog } = opened;
    await choose(opened, "Grupo 2");
    await choose(opened, "Grupo 3");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    const other = await dialog.findByRole("combobox", { name: "Grupo 2" });
    await waitFor(() => expect(other).toHaveValue("Deporte"));
    expect(other).toHaveAccessibleDescription("Se cambió mientras tanto: lo que elegiste no se guardó");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(saved[1]).toEqual([
      { group: "Grupo 1", categoryId: 4 },
      { group: "Grupo 2", categoryId: 5 },
      { group: "Grupo 3", categoryId: 4 },
      { group: "Grupo 4", categoryId: 5 },
    ]);
  });

  test("what another user stored for a group since a draft was left is not replaced by it", async () => {
    const sport = { id: 5, description: "Deporte", englishDescription: "Sport", active: true };
    const film = { id: 4, description: "Cine", englishDescription: "Films", active: true };
    server.use(http.get("/api/categories", () => HttpResponse.json(page([film, sport]))));
    const first = await open();
    await choose(first, "Grupo 2");
    await choose(first, "Grupo 3");
    await waitFor(() =>
      expect(Object.keys(localDraft("ana", "playlist-groups 1")?.values.categories ?? {})).toHaveLength(2),
    );
    losePage();
    const theirs = { ...source, categories: [{ group: "Grupo 2", categoryId: 5 }] };
    server.use(http.get("/api/playlist-sources/1", () => HttpResponse.json(theirs)));
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    await waitFor(() => expect(dialog.getByRole("combobox", { name: "Grupo 3" })).toHaveValue("Cine"));
    const other = dialog.getByRole("combobox", { name: "Grupo 2" });
    await waitFor(() => expect(other).toHaveValue("Deporte"));
    expect(other).toHaveAccessibleDescription("Se cambió mientras tanto: lo que elegiste no se guardó");
  });

  test("what is chosen while categories are saved stays, and is saved the next time", async () => {
    const answers: (() => void)[] = [];
    server.use(
      http.patch("/api/playlist-sources/1", async ({ request }) => {
        saved.push(((await request.json()) as { categories: unknown }).categories);
        await new Promise<void>((done) => answers.push(done));
        return HttpResponse.json({ ...source, version: source.version + saved.length });
      }),
    );
    const opened = await open();
    const { user, dialog } = opened;
    await choose(opened, "Grupo 2");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(answers).toHaveLength(1));
    await choose(opened, "Grupo 3");
    act(() => answers[0]?.());
    await screen.findByText("Se guardaron las categorías");
    expect(dialog.getByRole("combobox", { name: "Grupo 3" })).toHaveValue("Cine");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(answers).toHaveLength(2));
    act(() => answers[1]?.());
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(saved[1]).toEqual(["Grupo 1", "Grupo 2", "Grupo 3"].map((group) => ({ group, categoryId: 4 })));
  });

  test("are not shown as missing where their names could not be loaded", async () => {
    server.use(http.get("/api/categories", () => problem(403, { message: "Hoy no." }), { once: true }));
    const { user } = renderPage("/content/playlists/1");
    await user.click(await screen.findByRole("button", { name: "Categorías por grupo" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Categorías por grupo" }));
    expect(await dialog.findByText("Error al cargar opciones")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Reintentar" }));
    expect(await dialog.findByRole("combobox", { name: "Grupo 1" })).toHaveValue("Cine");
  });

  test("choices of one entry are closed until the user opens them", async () => {
    const { user, dialog } = await open();
    const one = dialog.getByRole("combobox", { name: "Grupo 2" });
    act(() => one.focus());
    expect(one).toHaveAttribute("aria-expanded", "false");
    await user.keyboard("{ArrowDown}");
    expect(await screen.findByRole("option", { name: "Cine" })).toBeVisible();
  });

  test("choices survive a crash, until they are saved", async () => {
    const stored = () => localDraft("ana", "playlist-groups 1")?.values;
    await choose(await open(), "Grupo 2");
    await waitFor(() =>
      expect(stored()).toEqual({
        categories: { "Grupo 2": { categoryId: 4, before: { categoryId: null } } },
      }),
    );
    losePage();
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(dialog.getByRole("combobox", { name: "Grupo 2" })).toHaveValue("Cine");
    server.use(http.patch("/api/playlist-sources/1", () => HttpResponse.json({ ...source, version: 3 })));
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });

  test("choices are not lost without a question", async () => {
    const opened = await open();
    await choose(opened, "Grupo 2");
    await opened.user.click(opened.dialog.getByRole("button", { name: "Cancelar" }));
    await opened.user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    await expectLeavingConfirms(opened);
    expect(opened.dialog.getByRole("combobox", { name: "Grupo 2" })).toHaveValue("Cine");
  });
});
