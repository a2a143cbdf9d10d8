// «Señales»: what is changed while it is saved stays, and a channel that is gone says so.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem } from "../../testing/backend";
import { losePage } from "../../testing/leaving";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { StoredStream, Streams, StreamsDraft } from "./streams";

const stream = (name: string): StoredStream => ({
  urlType: "EXTERNAL",
  url: `https://${name.toLowerCase()}.example/live`,
  label: name,
  quality: null,
  headers: [],
  origin: "TYPED",
  source: null,
  linkId: null,
  state: "UP",
  since: null,
  probedAt: null,
  probe: null,
});
let stored: Streams;

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "",
    permissions: ["TVCHANNEL_READ", "TVCHANNEL_UPDATE"],
  };
  stored = {
    title: "Canal Siete",
    version: 1,
    failover: "MANUAL",
    played: 0,
    streams: ["Uno", "Dos"].map(stream),
  };
  server.use(http.get("/api/tv-channels/7/streams", () => HttpResponse.json(stored)));
});

afterEach(() => {
  vi.useRealTimers();
});

const names = () =>
  within(screen.getByRole("list", { name: "Señales en su orden" }))
    .getAllByRole("listitem")
    .map((row) => row.querySelector("strong")?.textContent);

test("states, and which stream players get, follow the probes", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setInterval", "clearInterval"] });
  renderPage("/content/tv-channels/7/streams");
  const rows = async () =>
    (
      await within(await screen.findByRole("list", { name: "Señales en su orden" })).findAllByRole("listitem")
    ).map((row) => row.querySelector(".stream-name")?.textContent);
  const [first, second] = await rows();
  expect(first).toContain("La reciben los reproductores");
  expect(second).not.toContain("La reciben los reproductores");
  const [one, other] = stored.streams as [StoredStream, StoredStream];
  stored = { ...stored, played: 1, streams: [{ ...one, state: "DOWN" }, other] };
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  await waitFor(async () => expect((await rows())[1]).toContain("La reciben los reproductores"));
  expect((await rows())[0]).toContain("Caído");
});

test("what is moved while the streams are saved stays moved, and is saved the next time", async () => {
  const sent: StreamsDraft[] = [];
  let answer: (() => void) | undefined;
  server.use(
    http.put("/api/tv-channels/7/streams", async ({ request }) => {
      const draft = (await request.json()) as StreamsDraft;
      sent.push(draft);
      await new Promise<void>((done) => {
        answer = done;
      });
      stored = {
        ...stored,
        version: stored.version + 1,
        failover: draft.failover,
        streams: draft.streams.map(({ label }) => stream(label ?? "")),
      };
      return HttpResponse.json(stored);
    }),
  );
  const { user } = renderPage("/content/tv-channels/7/streams");
  await user.click((await screen.findAllByRole("radio"))[1] as HTMLElement);
  await user.click(screen.getByRole("button", { name: "Guardar señales" }));
  await waitFor(() => expect(answer).toBeDefined());
  await user.click(screen.getByRole("button", { name: "Bajar Uno" }));
  expect(names()).toEqual(["Dos", "Uno"]);
  act(() => answer?.());
  await screen.findByText("Señales de «Canal Siete» guardadas");
  expect(names()).toEqual(["Dos", "Uno"]);
  answer = undefined;
  await user.click(screen.getByRole("button", { name: "Guardar señales" }));
  await waitFor(() => expect(answer).toBeDefined());
  act(() => answer?.());
  await waitFor(() => expect(stored.version).toBe(3));
  expect(sent.map(({ failover, streams }) => [failover, streams.map(({ label }) => label)])).toEqual([
    ["AUTO", ["Uno", "Dos"]],
    ["AUTO", ["Dos", "Uno"]],
  ]);
});

test("keys that are held down save once", async () => {
  let puts = 0;
  server.use(
    http.put("/api/tv-channels/7/streams", () => {
      puts += 1;
      return HttpResponse.json(stored);
    }),
  );
  const { user, idle } = renderPage("/content/tv-channels/7/streams");
  await user.click((await screen.findAllByRole("radio"))[1] as HTMLElement);
  const press = (repeat: boolean) => fireEvent.keyDown(document.body, { key: "s", ctrlKey: true, repeat });
  press(false);
  await waitFor(() => expect(screen.getAllByText("Señales de «Canal Siete» guardadas")).toHaveLength(1));
  // The browser would save the page.
  expect(press(true)).toBe(false);
  await idle();
  expect(puts).toBe(1);
});

test("the form of a channel that was deleted meanwhile is not opened with what was read before", async () => {
  const { router } = renderPage("/content/tv-channels/7/streams");
  await screen.findByRole("list", { name: "Señales en su orden" });
  await act(() => router.navigate("/settings/sessions"));
  await waitFor(() => expect(screen.queryByRole("list", { name: "Señales en su orden" })).toBeNull());
  server.use(
    http.get("/api/tv-channels/7/streams", () =>
      problem(404, { code: "NOT_FOUND", message: "Ese canal ya no existe." }),
    ),
  );
  await act(() => router.navigate("/content/tv-channels/7/streams"));
  expect(await screen.findByText("Ese canal ya no existe.")).toBeVisible();
  expect(screen.queryByRole("list", { name: "Señales en su orden" })).not.toBeInTheDocument();
});

test("a stream that is being typed survives a crash, but for its headers, and is gone once it is in the list", async () => {
  const path = "/content/tv-channels/7/streams";
  const draftOfNew = () => localDraft("ana", `${path}#stream new`);
  const open = async () => {
    const { user } = renderPage(path);
    await user.click(await screen.findByRole("button", { name: "Añadir señal" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir señal" }));
    return { user, dialog, address: await dialog.findByRole("textbox", { name: /^Dirección/ }) };
  };
  const first = await open();
  await pasteInto(first.user, first.address, "https://tres.example/live");
  await first.user.type(first.dialog.getByRole("textbox", { name: /^Cabeceras/ }), "Authorization: clave");
  await waitFor(() => expect(draftOfNew()?.leftOut).toEqual(["headers"]));
  expect(JSON.stringify(localStorage)).not.toContain("clave");
  losePage();

  const { user, dialog, address } = await open();
  expect(await dialog.findByText(/No se guarda por seguridad: Cabeceras/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Recuperar" }));
  expect(address).toHaveValue("https://tres.example/live");
  await user.click(dialog.getByRole("button", { name: "Añadir" }));
  await waitFor(() => expect(names()).toHaveLength(3));
  expect(draftOfNew()).toBeUndefined();
});

test("headers that are typed stay when a draft from before them is restored", async () => {
  const path = "/content/tv-channels/7/streams";
  const saved: StreamsDraft[] = [];
  server.use(
    http.put("/api/tv-channels/7/streams", async ({ request }) => {
      saved.push((await request.json()) as StreamsDraft);
      return HttpResponse.json(stored);
    }),
  );
  const open = async () => {
    const { user } = renderPage(path);
    await user.click(await screen.findByRole("button", { name: "Añadir señal" }));
    return { user, dialog: within(await screen.findByRole("dialog", { name: "Añadir señal" })) };
  };
  const first = await open();
  await first.user.type(
    await first.dialog.findByRole("textbox", { name: /^Dirección/ }),
    "https://tres.example/live",
  );
  await waitFor(() => expect(localDraft("ana", `${path}#stream new`)).toBeDefined());
  losePage();

  const { user, dialog } = await open();
  await user.type(
    await dialog.findByRole("textbox", { name: /^Cabeceras/ }),
    "Referer: https://tres.example",
  );
  await user.click(dialog.getByRole("button", { name: "Recuperar" }));
  await user.click(dialog.getByRole("button", { name: "Añadir" }));
  await waitFor(() => expect(names()).toHaveLength(3));
  await user.click(screen.getByRole("button", { name: "Guardar señales" }));
  await waitFor(() =>
    expect(saved[0]?.streams[2]).toMatchObject({
      url: "https://tres.example/live",
      headers: [{ name: "Referer", value: "https://tres.example" }],
    }),
  );
});

test("a stream's draft does not replace what another user has changed since", async () => {
  const path = "/content/tv-channels/7/streams";
  const open = async () => {
    const { user } = renderPage(path);
    await user.click(await screen.findByRole("button", { name: "Editar Uno" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar señal" }));
    return { user, dialog, label: await dialog.findByRole("textbox", { name: /^Nombre/ }) };
  };
  const first = await open();
  await first.user.type(first.label, " bis");
  await waitFor(() =>
    expect(localDraft("ana", `${path}#stream EXTERNAL https://uno.example/live`)).toBeDefined(),
  );
  losePage();
  stored = {
    ...stored,
    version: 2,
    streams: stored.streams.map((one) => (one.label === "Uno" ? { ...one, quality: "HD" } : one)),
  };
  const { user, dialog, label } = await open();
  await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
  expect(label).toHaveValue("Uno bis");
  expect(dialog.getByRole("combobox", { name: /^Calidad/ })).toHaveValue("HD (720p)");
});

describe("streams of an earlier version", () => {
  const entry = (version: number, change: object) => ({
    id: version,
    occurredAt: "2026-11-20T10:00:00Z",
    actor: "rosa",
    source: "REQUEST",
    address: null,
    operationId: null,
    action: "UPDATED",
    resource: "tv-channels",
    item: "7",
    title: "Canal Siete",
    version,
    before: {},
    after: {},
    ...change,
  });

  beforeEach(() => {
    stored = { ...stored, version: 3 };
    const content = [
      entry(3, { before: { streams: ["Tres"] }, after: { streams: ["Uno", "Dos"] } }),
      entry(2, { before: { title: "Siete" }, after: { title: "Canal Siete" } }),
      entry(1, { action: "CREATED" }),
    ];
    server.use(
      http.get("/api/tv-channels/7/history", () =>
        HttpResponse.json({ content, page: 0, size: 25, totalElements: 3, totalPages: 1 }),
      ),
      http.get("/api/tv-channels/7/history/2/streams", () =>
        HttpResponse.json({ version: 2, failover: "AUTO", streams: [stream("Tres")] }),
      ),
      http.get("/api/tv-channels/7/history/1/streams", () =>
        problem(404, { code: "NOT_FOUND", message: "No existe la versión 1." }),
      ),
    );
  });

  async function openHistory() {
    const rendered = renderPage("/content/tv-channels/7/streams");
    await screen.findByRole("list", { name: "Señales en su orden" });
    await rendered.user.click(screen.getByRole("button", { name: "Historial" }));
    const dialog = await screen.findByRole("dialog", { name: /Historial de/ });
    const [entries] = await within(dialog).findAllByRole("list");
    // A change of the streams has a list of its own.
    const rows = [...(entries?.children ?? [])] as HTMLElement[];
    return { ...rendered, rows };
  }

  const restoreIn = (row: HTMLElement | undefined) =>
    within(row as HTMLElement).getByRole("button", { name: "Restaurar esta versión" });

  test("go into the form, and are saved over the version that was read", async () => {
    const sent: [string | null, StreamsDraft][] = [];
    server.use(
      http.put("/api/tv-channels/7/streams", async ({ request }) => {
        sent.push([request.headers.get("if-match"), (await request.json()) as StreamsDraft]);
        return HttpResponse.json({ ...stored, version: 4, failover: "AUTO", streams: [stream("Tres")] });
      }),
    );
    const { user, rows } = await openHistory();
    const [changed] = rows as [HTMLElement];
    expect(
      within(changed)
        .getAllByRole("deletion")
        .map(({ textContent }) => textContent),
    ).toEqual(["Tres"]);
    expect(
      within(changed)
        .getAllByRole("insertion")
        .map(({ textContent }) => textContent),
    ).toEqual(["Uno", "Dos"]);
    // Screen readers name neither, and the signs are for the eyes.
    expect(
      within(changed)
        .getAllByText(/^(Quitado|Añadido):$/)
        .map(({ textContent }) => textContent),
    ).toEqual(["Quitado:", "Añadido:", "Añadido:"]);
    expect(within(rows[1] as HTMLElement).queryByText("Canal Siete")).toBeNull();
    await user.click(restoreIn(rows[1]));
    expect(await screen.findByText(/El formulario tiene las señales de la versión 2\./)).toBeVisible();
    expect(names()).toEqual(["Tres"]);
    expect(sent).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Guardar señales" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject(['"3"', { failover: "AUTO", streams: [{ label: "Tres", headers: [] }] }]);
  });

  test("that are not recorded are said so", async () => {
    const { user, rows } = await openHistory();
    await user.click(restoreIn(rows[2]));
    expect(await screen.findByText(/De sus señales solo hay texto sin claves/)).toBeVisible();
    expect(names()).toEqual(["Uno", "Dos"]);
  });
});
