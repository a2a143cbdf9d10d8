// Entries that become streams of channels.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { problem } from "../../testing/backend";
import { applies, serveApplies } from "../../testing/playlistApplies";
import { newEntry as entry, page } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveApplies);

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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
  expect(applies.undone).toEqual([31]);
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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
      return HttpResponse.json({ operations: [applies.operations.get(31)] }, { status: 202 });
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
