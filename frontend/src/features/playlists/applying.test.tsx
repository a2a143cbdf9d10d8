// Applying entries: operations for channels and radio stations, undone together.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { problem } from "../../testing/backend";
import { applies, serveApplies } from "../../testing/playlistApplies";
import { changeCounts, newEntry as entry, moment, page, run } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveApplies);

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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
  expect(applies.undone).toEqual([31, 32]);
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
  expect(applies.undone).toEqual([31, 32]);
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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
