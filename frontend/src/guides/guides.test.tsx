// The newest fetch of a guide in the list of guides and on a guide's own page, and how it is read now.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem } from "../testing/backend";
import { expectLeavingConfirms } from "../testing/leaving";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";
import type { GuideFetch } from "./queries";

const guide = (id: number) => ({
  id,
  title: `Guía ${id}`,
  url: `https://guides.example/${id}.xml`,
  active: true,
  gzip: false,
  version: 1,
  createdDate: "2026-11-01T10:00:00Z",
  updatedDate: "2026-11-01T10:00:00Z",
  createdBy: "ana",
  updatedBy: "ana",
});

const fetchOf = (guideId: number, changes: Partial<GuideFetch> = {}): GuideFetch => ({
  guideId,
  title: `Guía ${guideId}`,
  active: true,
  version: 1,
  refreshHours: 12,
  zone: "UTC",
  shiftMinutes: 0,
  priority: 100,
  state: "DONE",
  fileName: null,
  requestedBy: null,
  fault: null,
  statusCode: null,
  finishedDate: "2026-11-20T10:15:00Z",
  lastGoodDate: "2026-11-20T10:15:00Z",
  nextFetchDate: null,
  newestProgramme: null,
  counts: { channels: 3, programmes: 40, outside: 0, added: 40, changed: 0, removed: 0, unchanged: 0 },
  leftOut: [{ reason: "INVALID_TIME", message: "Hora no válida", count: 2 }],
  examples: [{ reason: "INVALID_TIME", message: "Hora no válida", text: "25:61" }],
  ...changes,
});

let requested: string[];

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "Mi rol",
    permissions: ["TVGUIDE_READ", "TVGUIDE_UPDATE"],
  };
  requested = [];
  const fetches = [fetchOf(1), fetchOf(2, { state: "FAILED", fault: "STATUS", statusCode: 502 })];
  const list = { content: [guide(1), guide(2)], page: 0, size: 10, totalPages: 1, totalElements: 2 };
  server.use(
    http.get("*/api/tv-guides", () => HttpResponse.json(list)),
    http.get("*/api/tv-guides/2", () => HttpResponse.json(guide(2))),
    http.get("*/api/guide-fetches", () => {
      requested.push("fetches");
      return HttpResponse.json(fetches);
    }),
    http.get("*/api/tv-guides/2/fetching", () => HttpResponse.json(fetches[1])),
    http.post("*/api/tv-guides/:id/fetch", ({ params }) => {
      requested.push(`read ${params.id}`);
      return HttpResponse.json(fetchOf(Number(params.id), { state: "WAITING" }), { status: 202 });
    }),
  );
});

test("the rows of guides share one request and read a guide now", async () => {
  const { user } = renderPage("/content/tv-guide");
  const read = await screen.findByRole("button", { name: "Leer «Guía 2» ahora" });
  expect(screen.getByText("Leída")).toBeVisible();
  expect(requested).toEqual(["fetches"]);
  await user.click(read);
  await waitFor(() => expect(requested).toContain("read 2"));
  await user.click(screen.getByRole("button", { name: "Última lectura de «Guía 2»" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Guía 2" }));
  expect(await dialog.findByText(/El servidor respondió con un error/)).toHaveTextContent("HTTP 502");
});

test("rows of guides whose state could not be read say so, and are read again with one request", async () => {
  server.use(http.get("*/api/guide-fetches", () => problem(403, { message: "Hoy no." }), { once: true }));
  const { user } = renderPage("/content/tv-guide");
  const failures = () => screen.queryAllByText("Error al cargar el estado de las guías");
  await waitFor(() => expect(failures()).toHaveLength(2));
  expect(failures()[0]).toHaveAttribute("title", "Hoy no.");
  await user.click(screen.getAllByRole("button", { name: "Reintentar" })[1] as HTMLElement);
  expect(await screen.findByText("Leída")).toBeVisible();
  expect(failures()).toEqual([]);
  expect(requested).toEqual(["fetches"]);
});

describe("what is on in the rows of channels", () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const programme = (title: string, from: number, to: number) => ({ title, start: at(from), stop: at(to) });
  const channel = (id: number) => ({
    id,
    title: `Canal ${id}`,
    channelNumber: id,
    active: true,
    categories: [],
    urlType: "EXTERNAL",
    url: "http://h.example/1",
    version: 1,
    createdDate: "2026-11-01T10:00:00Z",
    updatedDate: "2026-11-01T10:00:00Z",
  });

  const answer = () =>
    HttpResponse.json({
      timeZone: "UTC",
      content: [
        { channelId: 1, without: null, programmes: [programme("Cine", -5, 5), programme("Ópera", 5, 9)] },
        { channelId: 2, without: "NO_ID", programmes: [] },
      ],
    });

  const serve = (schedule: () => Response) =>
    server.use(
      http.get("*/api/schedule", ({ request }) => {
        requested.push(new URL(request.url).searchParams.get("ids") ?? "");
        return schedule();
      }),
    );

  beforeEach(() => {
    backend.user = { ...backend.user, permissions: ["TVCHANNEL_READ"] } as typeof backend.user;
    const content = [1, 2, 3].map(channel);
    server.use(
      http.get("*/api/tv-channels", () =>
        HttpResponse.json({ content, page: 0, size: 10, totalPages: 1, totalElements: 3 }),
      ),
      http.get("*/api/channels-base-url", () => HttpResponse.json({ baseUrl: null })),
    );
    serve(answer);
    localStorage.setItem("cartelera.list.tv-channels.hidden", "[]");
  });

  test("is shown without a choice of columns", async () => {
    localStorage.removeItem("cartelera.list.tv-channels.hidden");
    renderPage("/content/tv-channels");
    expect(await screen.findByText("Cine")).toBeVisible();
  });

  test("is read with one request", async () => {
    renderPage("/content/tv-channels");
    expect(await screen.findByText("Cine")).toBeVisible();
    expect(screen.getByText(/Ópera/)).toBeVisible();
    expect(screen.getByText("No tiene ID de EPG")).toBeVisible();
    expect(requested).toEqual(["1,2,3"]);
  });

  test("moves on when a programme ends, and is read again with the next half-hour", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    try {
      vi.setSystemTime("2026-11-20T20:10:00Z");
      renderPage("/content/tv-channels");
      expect(await screen.findByText("Cine")).toBeVisible();
      expect(screen.getByText("20:15 Ópera")).toBeVisible();
      act(() => void vi.advanceTimersByTime(6 * 60_000));
      expect(screen.getByText("Ópera")).toBeVisible();
      expect(screen.queryByText("Cine")).not.toBeInTheDocument();
      expect(requested).toEqual(["1,2,3"]);
      act(() => void vi.advanceTimersByTime(15 * 60_000));
      // What was known stays until the answer is there.
      expect(screen.getByText("No tiene ID de EPG")).toBeVisible();
      expect(await screen.findByText("Cine")).toBeVisible();
      expect(requested).toEqual(["1,2,3", "1,2,3"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("says that it could not be read, and all rows are read again with one request", async () => {
    serve(() => problem(403, { message: "Hoy no." }));
    const { user } = renderPage("/content/tv-channels");
    const failures = () => screen.queryAllByText("Error al cargar la programación");
    await waitFor(() => expect(failures()).toHaveLength(3));
    expect(failures()[0]).toHaveAttribute("title", "Hoy no.");
    serve(answer);
    await user.click(screen.getAllByRole("button", { name: "Reintentar" })[1] as HTMLElement);
    expect(await screen.findByText("Cine")).toBeVisible();
    expect(failures()).toEqual([]);
    expect(requested).toEqual(["1,2,3", "1,2,3"]);
  });
});

test("a guide's own page says what its newest fetch held and left out", async () => {
  renderPage("/content/tv-guide/2/edit");
  const section = within(await screen.findByRole("region", { name: "Última lectura" }));
  expect(section.getByText("3 canales, 40 programas")).toBeVisible();
  expect(section.getByText(/Hora no válida/)).toHaveTextContent("2 «25:61»");
  expect(section.getByRole("button", { name: "Subir un archivo para «Guía 2»" })).toBeEnabled();
});

test("what became of the newest fetch is below the form, whose fields it does not move", async () => {
  renderPage("/content/tv-guide/2/edit");
  const form = (await screen.findByLabelText(/URL/)).closest("form") as HTMLFormElement;
  const section = await screen.findByRole("region", { name: "Última lectura" });
  expect(form.compareDocumentPosition(section)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test("while a file is uploaded its button says so, and the guide is not read by its address", async () => {
  let answer: (() => void) | undefined;
  server.use(
    http.post("*/api/tv-guides/2/upload", async () => {
      await new Promise<void>((done) => {
        answer = done;
      });
      return HttpResponse.json(fetchOf(2), { status: 202 });
    }),
  );
  const { user } = renderPage("/content/tv-guide/2/edit");
  const upload = await screen.findByRole("button", { name: "Subir un archivo para «Guía 2»" });
  await user.upload(screen.getByLabelText("Archivo de «Guía 2»"), new File(["<tv/>"], "guia.xml"));
  await waitFor(() => expect(answer).toBeDefined());
  expect(within(upload).getByLabelText("Subiendo un archivo para «Guía 2»")).toBeInTheDocument();
  const read = screen.getByRole("button", { name: "Leer «Guía 2» ahora" });
  expect(read).toBeDisabled();
  await user.click(read);
  act(() => answer?.());
  await waitFor(() => expect(read).toBeEnabled());
  expect(upload).toBeEnabled();
  expect(requested).not.toContain("read 2");
});

test("settings that were changed are lost neither by leaving the page nor by another filter of its list", async () => {
  const page = renderPage("/content/tv-guide");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Última lectura de «Guía 2»" }));
  await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Ajustes de «Guía 2»" }));
  const shift = dialog.getByRole("textbox", { name: /^Desfase/ });
  // The keypad of an iPhone has no minus.
  expect(shift).not.toHaveAttribute("inputmode");
  await user.clear(shift);
  await user.type(shift, "60");
  await expectLeavingConfirms(page);
  await expectLeavingConfirms(page, { to: "/content/tv-guide?search=otra" });
  expect(shift).toHaveValue("60");
});

test("settings that are changed while they are saved stay, and are saved the next time", async () => {
  const sent: unknown[] = [];
  let answer: (() => void) | undefined;
  let set = fetchOf(2);
  server.use(
    http.get("*/api/tv-guides/2/fetching", () => HttpResponse.json(set)),
    http.put("*/api/tv-guides/2/fetching", async ({ request }) => {
      const body = (await request.json()) as Partial<GuideFetch>;
      sent.push(body.shiftMinutes);
      await new Promise<void>((done) => {
        answer = done;
      });
      set = { ...set, ...body, version: set.version + 1 };
      return HttpResponse.json(set);
    }),
  );
  const { user } = renderPage("/content/tv-guide/2/edit");
  await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
  const dialog = within(await screen.findByRole("dialog"));
  const shift = dialog.getByRole("textbox", { name: /^Desfase/ });
  await user.clear(shift);
  await user.type(shift, "6");
  const save = dialog.getByRole("button", { name: "Guardar ajustes" });
  await user.click(save);
  await waitFor(() => expect(answer).toBeDefined());
  await user.type(shift, "0");
  act(() => answer?.());
  await screen.findByText("Ajustes guardados");
  expect(shift).toHaveValue("60");
  answer = undefined;
  await user.click(save);
  await waitFor(() => expect(answer).toBeDefined());
  act(() => answer?.());
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(sent).toEqual([6, 60]);
});

test("errors of the settings are shown at the field; bounds are the server's", async () => {
  let sent = 0;
  server.use(
    http.put("*/api/tv-guides/2/fetching", () => {
      sent += 1;
      const errors = [{ field: "zone", code: "INVALID_FORMAT", message: "No existe esa zona." }];
      return problem(422, { code: "VALIDATION_FAILED", message: "Hay datos no válidos.", errors });
    }),
  );
  const { user } = renderPage("/content/tv-guide/2/edit");
  await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
  const dialog = within(await screen.findByRole("dialog"));
  const hours = await dialog.findByRole("textbox", { name: /^Leer cada/ });
  await user.clear(hours);
  const save = dialog.getByRole("button", { name: "Guardar ajustes" });
  await user.click(save);
  expect(hours).toBeInvalid();
  await user.type(hours, "169");
  await user.click(save);
  expect(hours).toHaveAccessibleDescription(/168/);
  expect(sent).toBe(0);
  await user.clear(hours);
  await user.type(hours, "24");
  const zone = dialog.getByRole("combobox", { name: /^Zona horaria/ });
  await user.clear(zone);
  await user.type(zone, "Nowhere/X");
  await user.click(save);
  await waitFor(() => expect(zone).toBeInvalid());
  expect(zone).toHaveFocus();
  expect(sent).toBe(1);
});

test("the end of a guide is shown in the service's time zone, as in the schedule", async () => {
  backend.user = { ...backend.user, timeZone: "Pacific/Kiritimati" } as typeof backend.user;
  server.use(
    http.get("*/api/tv-guides/2/fetching", () =>
      HttpResponse.json(fetchOf(2, { newestProgramme: "2026-11-20T15:30:00Z" })),
    ),
  );
  renderPage("/content/tv-guide/2/edit");
  const section = within(await screen.findByRole("region", { name: "Última lectura" }));
  expect(section.getByText("Llega hasta").nextElementSibling).toHaveTextContent("21 nov 2026 5:30");
});

test.each(["DONE", "RUNNING"] as const)(
  "settings that another user changed are kept beside one's own (%s)",
  async (state) => {
    // While a guide is read its settings are, too: what was read meanwhile is nothing that was seen.
    let set = fetchOf(2, { state });
    const sent: unknown[] = [];
    let countReads = 0;
    server.use(
      http.get("*/api/tv-guides/2/fetching", () => {
        countReads += 1;
        return HttpResponse.json(set);
      }),
      http.put("*/api/tv-guides/2/fetching", async ({ request }) => {
        const seen = request.headers.get("if-match");
        sent.push([seen, await request.json()]);
        return seen === `"${set.version}"`
          ? HttpResponse.json(set)
          : problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: set });
      }),
    );
    const { user } = renderPage("/content/tv-guide/2/edit");
    await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
    const dialog = within(await screen.findByRole("dialog"));
    const shift = dialog.getByRole("textbox", { name: /^Desfase/ });
    await user.clear(shift);
    await user.type(shift, "60");
    set = { ...set, version: 2, refreshHours: 48 };
    const reads = countReads;
    if (state === "RUNNING") await waitFor(() => expect(countReads).toBeGreaterThan(reads + 1));
    await user.click(dialog.getByRole("button", { name: "Guardar ajustes" }));
    expect(await screen.findByText(/los cambios de otra persona en: Leer cada \(horas\)/)).toBeVisible();
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    const own = { zone: "UTC", shiftMinutes: 60, priority: 100 };
    expect(sent).toEqual([
      ['"1"', { ...own, refreshHours: 12 }],
      ['"2"', { ...own, refreshHours: 48 }],
    ]);
  },
);

test("a setting of a guide that two users changed is chosen, never overwritten unseen", async () => {
  let set = fetchOf(2);
  const sent: unknown[] = [];
  server.use(
    http.get("*/api/tv-guides/2/fetching", () => HttpResponse.json(set)),
    http.put("*/api/tv-guides/2/fetching", async ({ request }) => {
      const seen = request.headers.get("if-match");
      sent.push([seen, ((await request.json()) as GuideFetch).shiftMinutes]);
      return seen === `"${set.version}"`
        ? HttpResponse.json(set)
        : problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: set });
    }),
  );
  const { user } = renderPage("/content/tv-guide/2/edit");
  await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
  const shift = await screen.findByRole("textbox", { name: /^Desfase/ });
  await user.clear(shift);
  await user.type(shift, "60");
  set = { ...set, version: 2, shiftMinutes: -30 };
  await user.click(screen.getByRole("button", { name: "Guardar ajustes" }));
  const conflict = within(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" }));
  expect(conflict.getByRole("radio", { name: "Lo de la otra persona" })).toHaveAccessibleDescription("-30");
  expect(sent).toEqual([['"1"', 60]]);
  await user.click(conflict.getByRole("button", { name: "Guardar lo elegido" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(sent).toEqual([
    ['"1"', 60],
    ['"2"', 60],
  ]);
});

test("a guide that exists as a file only is set to be never read by its address", async () => {
  let saved: Partial<GuideFetch> = {};
  server.use(
    http.put("*/api/tv-guides/2/fetching", async ({ request }) => {
      saved = (await request.json()) as Partial<GuideFetch>;
      return HttpResponse.json(fetchOf(2, saved));
    }),
  );
  const { user } = renderPage("/content/tv-guide/2/edit");
  await user.click(await screen.findByRole("button", { name: "Ajustes de «Guía 2»" }));
  const hours = await screen.findByRole("textbox", { name: /^Leer cada/ });
  expect(hours).toHaveAccessibleDescription(/nunca se lee automáticamente/);
  await user.clear(hours);
  await user.type(hours, "0");
  await user.click(screen.getByRole("button", { name: "Guardar ajustes" }));
  await waitFor(() => expect(saved.refreshHours).toBe(0));
});
