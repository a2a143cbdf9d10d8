// Applying entries: operations for channels, with their streams, and radio stations, undone together.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import type { Operation } from "../../operations/queries";
import { backend, problem } from "../../testing/backend";
import { changeCounts, newEntry as entry, moment, page, run, source } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

let operations: Map<number, Operation>;
let undone: number[];

function operation(id: number, resource: string, undoOf: number | null = null): Operation {
  return {
    id,
    resource,
    state: "FINISHED",
    total: 1,
    done: 1,
    counts: { changed: 1, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 1 },
    action: null,
    import: null,
    dryRun: false,
    failure: null,
    createdBy: "ana",
    createdDate: moment,
    finishedDate: moment,
    undoOf,
    undoneBy: null,
    undoUntil: undoOf ? null : new Date(Date.now() + 3_600_000).toISOString(),
  };
}

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "Mi rol",
    permissions: ["PLAYLIST_READ", "PLAYLIST_UPDATE", "TVCHANNEL_READ", "TVCHANNEL_UPDATE"],
  };
  undone = [];
  operations = new Map([
    [31, operation(31, "tv-channels")],
    [32, operation(32, "radio-stations")],
  ]);
  server.use(
    http.get("/api/playlist-sources/1", () => HttpResponse.json(source)),
    http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page([run]))),
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/playlist-sources/1/runs/:run/counts", () => HttpResponse.json(changeCounts)),
    http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([entry]))),
    http.post("/api/playlist-sources/1/runs/5/apply", () =>
      HttpResponse.json({ operations: [operations.get(31), operations.get(32)] }, { status: 202 }),
    ),
    http.get("/api/operations/:id", ({ params }) => HttpResponse.json(operations.get(Number(params.id)))),
    http.get("/api/operations/:id/rows", () => HttpResponse.json([])),
    http.post("/api/operations/:id/undo", ({ params }) => {
      const id = Number(params.id);
      undone.push(id);
      const undo = operation(id + 10, operations.get(id)?.resource ?? "", id);
      operations.set(undo.id, undo);
      return HttpResponse.json(undo, { status: 202 });
    }),
  );
});

async function applied() {
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Aplicar Quimera" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Aplicar a los canales" }));
  await user.click(dialog.getByRole("button", { name: "Aplicar" }));
  expect(await dialog.findAllByText("Terminado. Se puede deshacer durante 24 horas.")).toHaveLength(2);
  return { user, dialog };
}

test("the counts show their entries, and missing ones are not counted among what is applied", async () => {
  let sent: unknown;
  const rows = [entry, { ...entry, id: 10, name: "Antares", change: "MISSING", missingSince: moment }];
  server.use(
    http.get("/api/playlist-sources/1/runs/5/counts", () =>
      HttpResponse.json({ ...changeCounts, new: 30000, missing: 40, ignored: 1 }),
    ),
    http.get("/api/playlist-sources/1/runs/5/changes", ({ request }) => {
      const totalElements = request.url.includes("MISSING") ? 30040 : 30000;
      return HttpResponse.json({ ...page(rows), totalElements, totalPages: 122 });
    }),
    http.post("/api/playlist-sources/1/runs/5/apply", async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
  );
  const { user } = renderPage("/content/playlists/1");
  expect(await screen.findByRole("link", { name: "40 ausentes" })).toHaveAttribute(
    "href",
    "/content/playlists/1?change=MISSING",
  );
  expect(screen.getByRole("link", { name: "30.000 nuevas" })).toBeVisible();
  expect(screen.getByRole("link", { name: "1 ignorada" })).toBeVisible();
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «Quimera»" }));
  await user.click(screen.getByRole("button", { name: "Seleccionar las 30.040" }));
  const bar = within(screen.getByRole("region", { name: "Entradas seleccionadas" }));
  await waitFor(() => expect(bar.getByRole("button", { name: "Aplicar" })).toBeEnabled());
  await user.click(bar.getByRole("button", { name: "Aplicar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Aplicar a los canales" }));
  expect(dialog.getByText(/De las 30\.000 entradas/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Aplicar" }));
  await waitFor(() =>
    expect(sent).toEqual({
      filter: { change: "NEW,CHANGED", ignored: false },
      expectedCount: 30000,
      replaceEdited: false,
    }),
  );
});

test("a new entry and a missing one are shown field by field, with what differs", async () => {
  const candidate = {
    id: 4,
    name: "Quimera",
    url: "http://old.example/4",
    groups: ["Cine"],
    number: 4,
    guideId: null,
    missingSince: moment,
    itemType: "tv-channels",
    itemId: 7,
  };
  const shown = { ...entry, groups: ["Cine"], number: 9, candidates: [candidate] };
  server.use(http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([shown]))));
  renderPage("/content/playlists/1");
  const sides = (await screen.findByText("Puede ser «Quimera»")).parentElement as HTMLElement;
  expect(sides).toHaveTextContent("Dirección http://old.example/4 → http://a.example/9");
  expect(sides).toHaveTextContent("Número 4 → 9");
  expect(sides).toHaveTextContent("Grupos Cine");
  expect(sides).not.toHaveTextContent("Cine →");
  expect(within(sides).getByText(/Falta desde/)).toBeVisible();
  expect(within(sides).getByRole("link", { name: "Ver el canal" })).toBeVisible();
  expect(within(sides).getByRole("button", { name: "Es la entrada «Quimera»" })).toBeVisible();
});

test("all that match are ignored by their filter and their number", async () => {
  let sent: unknown;
  server.use(
    http.get("/api/playlist-sources/1/runs/5/changes", () =>
      HttpResponse.json({ ...page([entry]), totalElements: 300, totalPages: 12 }),
    ),
    http.post("/api/playlist-sources/1/ignored", async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json({ changed: 300 });
    }),
  );
  const { user } = renderPage("/content/playlists/1?group=Cine&change=NEW");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «Quimera»" }));
  await user.click(screen.getByRole("button", { name: "Seleccionar las 300" }));
  const bar = within(screen.getByRole("region", { name: "Entradas seleccionadas" }));
  await user.click(bar.getByRole("button", { name: "Ignorar" }));
  await waitFor(() =>
    expect(sent).toEqual({
      filter: { change: "NEW", group: "Cine", ignored: false },
      expectedCount: 300,
      ignored: true,
    }),
  );
  await waitFor(() => expect(screen.queryByRole("region", { name: "Entradas seleccionadas" })).toBeNull());
});

test("a group is found by its name among thousands, and entries without one are filtered", async () => {
  const filters: string[] = [];
  const groups = Array.from({ length: 3000 }, (_, index) => ({ group: `Grupo, ${index}`, entries: 1 }));
  server.use(
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json(groups)),
    http.get("/api/playlist-sources/1/runs/5/changes", ({ request }) => {
      const { searchParams } = new URL(request.url);
      filters.push(`${searchParams.get("group")} ${searchParams.get("grouped")}`);
      return HttpResponse.json(page([entry]));
    }),
  );
  const { user } = renderPage("/content/playlists/1?grouped=false");
  await screen.findByText("Quimera");
  expect(filters[0]).toBe("null false");
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await user.click(await screen.findByRole("menuitem", { name: "Grupo" }));
  await user.type(await screen.findByRole("textbox", { name: "Buscar grupo" }), "grupo, 2999");
  expect(screen.getAllByRole("radio")).toHaveLength(1);
  await user.click(screen.getByRole("radio", { name: "Grupo, 2999" }));
  await waitFor(() => expect(filters.at(-1)).toBe("Grupo, 2999 false"));
});

test("what is selected while others are being ignored stays selected", async () => {
  let answer = () => {};
  const held = new Promise<Response>((done) => {
    answer = () => done(new HttpResponse(null, { status: 204 }));
  });
  server.use(
    http.get("/api/playlist-sources/1/runs/5/changes", () =>
      HttpResponse.json(page([entry, { ...entry, id: 10, name: "Antares" }])),
    ),
    http.post("/api/playlist-sources/1/ignored", () => held),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar «Quimera»" }));
  await user.click(screen.getByRole("button", { name: "Ignorar" }));
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar «Antares»" }));
  answer();
  await waitFor(() =>
    expect(screen.getByRole("checkbox", { name: "Seleccionar «Quimera»" })).not.toBeChecked(),
  );
  expect(screen.getByRole("checkbox", { name: "Seleccionar «Antares»" })).toBeChecked();
});

test("channels and radio stations are undone together", async () => {
  const { user, dialog } = await applied();
  await user.click(dialog.getByRole("button", { name: "Deshacer" }));
  await waitFor(() => expect(dialog.getAllByText("Deshecho.")).toHaveLength(2));
  expect(undone).toEqual([31, 32]);
  expect(dialog.queryByRole("button", { name: "Deshacer" })).toBeNull();
});

test("what could not be undone with the other can be tried again", async () => {
  const { user, dialog } = await applied();
  server.use(
    http.post("/api/operations/32/undo", () => problem(409, { code: "CONFLICT", message: "Ahora no." }), {
      once: true,
    }),
  );
  await user.click(dialog.getByRole("button", { name: "Deshacer" }));
  expect(await dialog.findByText("Ahora no.")).toBeVisible();
  await waitFor(() => expect(dialog.getAllByText("Deshecho.")).toHaveLength(1));
  await user.click(dialog.getByRole("button", { name: "Deshacer" }));
  await waitFor(() => expect(dialog.getAllByText("Deshecho.")).toHaveLength(2));
  expect(undone).toEqual([31, 32]);
});

test("fields that a user changed keep their values, unless the list's are chosen", async () => {
  const sent: unknown[] = [];
  const fields = [
    { field: "NAME" as const, before: "Quimera", after: "Quimera HD", own: true },
    { field: "GUIDE_ID" as const, before: "quimera", after: "otra", own: true },
  ];
  server.use(
    http.get("/api/playlist-sources/1/runs/5/changes", () =>
      HttpResponse.json(page([{ ...entry, change: "CHANGED", itemId: 7, itemType: "tv-channels", fields }])),
    ),
    http.post("/api/playlist-sources/1/runs/5/apply", async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
  );
  const { user } = renderPage("/content/playlists/1");
  const apply = async (label?: string) => {
    await user.click(await screen.findByRole("button", { name: "Aplicar Quimera" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Aplicar a los canales" }));
    if (label) await user.click(dialog.getByRole("checkbox", { name: label }));
    await user.click(dialog.getByRole("button", { name: "Aplicar" }));
    await user.click(await dialog.findByText("Cerrar"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  };
  expect(await screen.findByText("Cambiado a mano: se queda como está")).toBeVisible();
  expect(screen.getByText("El canal se queda con el suyo")).toBeVisible();
  await apply();
  await apply("Usar los valores de la lista también en lo que se editó aquí");
  expect(sent).toEqual([
    { ids: [9], replaceEdited: false },
    { ids: [9], replaceEdited: true },
  ]);
});

const channel = { id: 7, channelNumber: 70, title: "Quimera HD" };

test("a new entry becomes a stream of a channel that is found by its name", async () => {
  const searches: (string | null)[] = [];
  let sent: unknown;
  let added = false;
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      searches.push(new URL(request.url).searchParams.get("search"));
      return HttpResponse.json(page([channel]));
    }),
    http.post("/api/playlist-sources/1/entries/9/stream", async ({ request }) => {
      sent = await request.json();
      if (!added) {
        added = true;
        return problem(409, {
          code: "CONFLICT",
          message: "Ese canal ya tiene 20 señales, el máximo.",
        });
      }
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
    http.get("/api/playlist-sources/1/runs/5/changes", () =>
      HttpResponse.json(page([sent ? { ...entry, change: "UNCHANGED", streamOf: 7 } : entry])),
    ),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Añadir «Quimera» a las señales de un canal" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Señal de «Quimera»" }));
  const add = dialog.getByRole("button", { name: "Añadir a un canal" });
  expect(add).toBeDisabled();
  await user.click(dialog.getByRole("combobox", { name: "Canal" }));
  await user.click(await screen.findByRole("option", { name: "70 · Quimera HD" }));
  expect(searches[0]).toBe("Quimera");
  await user.click(add);
  expect(await dialog.findByText("Ese canal ya tiene 20 señales, el máximo.")).toBeVisible();
  await user.click(add);
  const begun = within(await screen.findByRole("dialog", { name: "Señal de «Quimera»" }));
  expect(await begun.findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
  await user.click(begun.getByRole("button", { name: "Deshacer" }));
  expect(await begun.findByText("Deshecho.")).toBeVisible();
  expect(undone).toEqual([31]);
  await user.click(await begun.findByText("Cerrar"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent).toEqual({ channelId: 7 });
  expect(await screen.findByRole("link", { name: "Ver las señales del canal" })).toHaveAttribute(
    "href",
    "/content/tv-channels/7/streams",
  );
});

test("the dialog of an entry stays while it is being added: whether it was is not known", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.get("/api/tv-channels", () => HttpResponse.json(page([channel]))),
    http.post("/api/playlist-sources/1/entries/9/stream", async () => {
      await answered;
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
    http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([entry]))),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Añadir «Quimera» a las señales de un canal" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Señal de «Quimera»" }));
  await user.click(dialog.getByRole("combobox", { name: "Canal" }));
  await user.click(await screen.findByRole("option", { name: "70 · Quimera HD" }));
  await user.click(dialog.getByRole("button", { name: "Añadir a un canal" }));
  await waitFor(() => expect(dialog.getByRole("button", { name: "Cancelar" })).toBeDisabled());
  await user.click(dialog.getByRole("button", { name: "Cerrar" }));
  answer();
  expect(await screen.findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
});

test("ticked entries become streams, each of the channel that is called like it, or all of one", async () => {
  const other = { ...entry, id: 10, name: "Marea", duplicateOf: null };
  const marea = { id: 8, channelNumber: 80, title: "Marea Azul" };
  const bodies: unknown[] = [];
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      const words = new URL(request.url).searchParams.get("search");
      return HttpResponse.json(
        // «Marea» is found in the name of another channel.
        page(words === "quimera" ? [channel] : words === "marea" ? [marea] : [channel, marea]),
      );
    }),
    http.post("/api/playlist-sources/1/streams", async ({ request }) => {
      bodies.push(await request.json());
      if (bodies.length <= 2)
        return problem(422, {
          code: "VALIDATION_FAILED",
          message: "Hay errores.",
          errors: [
            { field: "streams[1].channelId", code: "TOO_MANY", message: "Tiene el máximo de señales." },
          ],
        });
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
    http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([entry, other]))),
  );
  const { user } = renderPage("/content/playlists/1");
  for (const name of ["Quimera", "Marea"])
    await user.click(await screen.findByRole("checkbox", { name: new RegExp(name) }));
  await user.click(await screen.findByRole("button", { name: "Añadir 2 a canales" }));
  const dialog = within(await screen.findByRole("dialog", { name: "2 entradas como señales de canales" }));
  expect(await dialog.findByDisplayValue("70 · Quimera HD")).toBe(
    dialog.getByRole("combobox", { name: "Canal de «Quimera»" }),
  );
  // What has no channel stays behind, and does not stop the others.
  expect(await dialog.findByText("1 entrada sin canal se queda en la lista.")).toBeVisible();
  expect(dialog.getByRole("button", { name: "Añadir a un canal" })).toBeEnabled();
  const ofMarea = dialog.getByRole("combobox", { name: "Canal de «Marea»" });
  expect(ofMarea).toHaveValue("");
  await user.type(ofMarea, "azul");
  await user.click(await screen.findByRole("option", { name: "80 · Marea Azul" }));
  const add = dialog.getByRole("button", { name: "Añadir 2 a canales" });
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  await user.click(add);
  expect(await dialog.findByText("Tiene el máximo de señales.")).toBeVisible();
  await user.type(dialog.getByRole("combobox", { name: "Canal para todas" }), "hd");
  await user.click(await screen.findByRole("option", { name: "70 · Quimera HD" }));
  await user.click(add);
  // No field of an entry is there to say it.
  await waitFor(() => expect(bodies).toHaveLength(2));
  expect(await dialog.findByText("Hay errores. Tiene el máximo de señales.")).toBeVisible();
  await user.click(add);
  expect(await screen.findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
  const streams = (...channels: number[]) => ({
    streams: channels.map((channelId, index) => ({ entryId: 9 + index, channelId })),
  });
  expect(bodies).toEqual([streams(7, 8), streams(7, 7), streams(7, 7)]);
});

test("ticked entries without a channel stay in the list, ticked; others become streams", async () => {
  const others = [10, 11].map((id) => ({ ...entry, id, name: `Marea ${id}`, duplicateOf: null }));
  let body: unknown;
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      const isKnown = new URL(request.url).searchParams.get("search") === "quimera";
      return HttpResponse.json(page(isKnown ? [channel] : []));
    }),
    http.post("/api/playlist-sources/1/streams", async ({ request }) => {
      body = await request.json();
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
    http.get("/api/playlist-sources/1/runs/5/changes", () =>
      HttpResponse.json(page([...others, { ...entry, duplicateOf: null }])),
    ),
  );
  const { user } = renderPage("/content/playlists/1");
  for (const name of ["Quimera", "Marea 10", "Marea 11"])
    await user.click(await screen.findByRole("checkbox", { name: new RegExp(name) }));
  await user.click(await screen.findByRole("button", { name: "Añadir 3 a canales" }));
  const dialog = within(await screen.findByRole("dialog", { name: "3 entradas como señales de canales" }));
  await dialog.findByText("2 entradas sin canal se quedan en la lista.");
  await user.click(dialog.getByRole("button", { name: "Añadir a un canal" }));
  await dialog.findByText("Terminado. Se puede deshacer durante 24 horas.");
  expect(body).toEqual({ streams: [{ entryId: 9, channelId: 7 }] });
  await user.click(dialog.getByText("Cerrar"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getByRole("checkbox", { name: /Quimera/ })).not.toBeChecked();
  expect(screen.getByRole("checkbox", { name: /Marea 10/ })).toBeChecked();
  expect(screen.getByRole("checkbox", { name: /Marea 11/ })).toBeChecked();
});

test("where no channel is called like the entry, the list says how to find one", async () => {
  server.use(http.get("/api/tv-channels", () => HttpResponse.json(page([]))));
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Añadir «Quimera» a las señales de un canal" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Señal de «Quimera»" }));
  // The field has the focus, and its list is open.
  expect(await screen.findByText("Busca por nombre o número")).toBeVisible();
  expect(screen.queryByText("Ninguna opción coincide")).toBeNull();
  await user.type(dialog.getByRole("combobox", { name: "Canal" }), "zzz");
  expect(await screen.findByText("Ninguna opción coincide")).toBeVisible();
});

test("an entry that repeats another says so, is filtered by it, and selects the channel of the other one", async () => {
  const duplicateOf = {
    id: 8,
    name: "Quimera HD",
    reason: "SAME_GUIDE_ID",
    itemType: "tv-channels",
    itemId: 7,
  };
  const filters: (string | null)[] = [];
  let sent: unknown;
  server.use(
    http.get("/api/tv-channels", () => HttpResponse.json(page([channel]))),
    http.get("/api/playlist-sources/1/runs/5/changes", ({ request }) => {
      filters.push(new URL(request.url).searchParams.get("duplicate"));
      return HttpResponse.json(page([{ ...entry, duplicateOf }]));
    }),
    http.post("/api/playlist-sources/1/entries/9/stream", async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json({ operations: [operations.get(31)] }, { status: 202 });
    }),
  );
  const { user } = renderPage("/content/playlists/1?duplicate=true");
  expect(await screen.findByText("El mismo ID de EPG que «Quimera HD»")).toBeVisible();
  expect(filters[0]).toBe("true");
  await user.click(await screen.findByRole("button", { name: "Añadir «Quimera» a las señales de un canal" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Señal de «Quimera»" }));
  // As among the options, once it was found.
  await waitFor(() => expect(dialog.getByRole("combobox", { name: "Canal" })).toHaveValue("70 · Quimera HD"));
  await user.click(dialog.getByRole("button", { name: "Añadir a un canal" }));
  await waitFor(() => expect(sent).toEqual({ channelId: 7 }));
});

test("after a refusal the list is read again, and what is applied stays of the run that was looked at", async () => {
  const applied: string[] = [];
  let shown = entry;
  server.use(
    http.get("/api/playlist-sources/1/runs/:run/changes", () => HttpResponse.json(page([shown]))),
    http.post("/api/playlist-sources/1/runs/:run/apply", ({ params }) => {
      applied.push(String(params.run));
      return problem(409, { code: "CONFLICT", message: "Hay una lectura posterior." });
    }),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Aplicar Quimera" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Aplicar a los canales" }));
  shown = { ...entry, name: "Quimera HD" };
  server.use(
    http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page([{ ...run, id: 6 }, run]))),
  );
  await user.click(dialog.getByRole("button", { name: "Aplicar" }));
  expect(await dialog.findByText("Hay una lectura posterior.")).toBeVisible();
  expect(await screen.findByText("Quimera HD")).toBeInTheDocument();
  await user.click(dialog.getByRole("button", { name: "Aplicar" }));
  await waitFor(() => expect(applied).toEqual(["5", "5"]));
});

test("streams that were changed since the apply are shown by their address and label", async () => {
  const row = {
    position: 0,
    itemId: 7,
    title: "70 · Quimera HD",
    verdict: "CHANGED",
    sheetRow: null,
    before: { streams: ["Reserva · http://a.example/b"] },
    after: { streams: ["Otra · http://a.example/a"] },
    problems: [{ field: "streams", code: "CHANGED_SINCE", message: "Alguien lo cambió después" }],
  };
  server.use(http.get("/api/operations/41/rows", () => HttpResponse.json([row])));
  const { user, dialog } = await applied();
  expect(dialog.queryByText(/no se puede deshacer/)).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Deshacer" }));
  const changed = await dialog.findByText("70 · Quimera HD");
  const text = changed.closest("li");
  expect(text).toHaveTextContent("Señales Reserva · http://a.example/b → Otra · http://a.example/a");
  expect(text).toHaveTextContent("Señales: Alguien lo cambió después");
});
