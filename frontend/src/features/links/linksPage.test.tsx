// «Enlaces»: counts and incidents above the list, hosts that fail, a probe that is requested, and how often a link played.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { type Link, type LinkSummary, type ProbeDay, shareOf } from "./queries";

const down: Link = {
  id: 4,
  owner: "tv-channels",
  itemId: 9,
  position: 1,
  label: null,
  title: "Canal Nueve",
  host: "cdn.example.com",
  active: true,
  switchedOff: true,
  state: "DOWN",
  since: "2026-11-20T14:04:00Z",
  nextProbe: "2026-11-20T16:00:00Z",
  probedAt: "2026-11-20T15:30:00Z",
  probe: { outcome: "HTTP", httpStatus: 404, milliseconds: 80 },
};
const up: Link = {
  ...down,
  id: 5,
  switchedOff: false,
  itemId: 10,
  position: 0,
  title: "Canal Diez",
  state: "UP",
  probe: { outcome: "OK", milliseconds: 80, format: "HLS", height: 1080, codecs: "avc1", variants: 2 },
};
const summary: LinkSummary = {
  states: [
    { state: "DOWN", count: 3 },
    { state: "UP", count: 1_200 },
  ],
  hosts: [
    {
      host: "cdn.example.com",
      links: 4,
      failing: 3,
      incident: true,
      days: [
        { day: "2026-11-19", good: 2, failed: 0 },
        { day: "2026-11-20", good: 0, failed: 1 },
      ],
    },
    { host: "otro.example.com", links: 9, failing: 1, incident: false, days: [] },
  ],
  channels: [
    { redundancy: "NONE", count: 0 },
    { redundancy: "SINGLE", count: 7 },
  ],
  probed: true,
};
const days: ProbeDay[] = Array.from({ length: 30 }, (_, index) => ({
  day: `2026-11-${String(index + 1).padStart(2, "0")}`,
  good: index === 29 ? 1 : 0,
  failed: index === 29 ? 3 : 0,
}));

let searches: string[];

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "",
    permissions: ["TVCHANNEL_READ", "TVCHANNEL_UPDATE"],
  };
  searches = [];
  server.use(
    http.get("/api/links", ({ request }) => {
      searches.push(new URL(request.url).search);
      return HttpResponse.json({
        content: [down, up, { ...up, id: 6, title: "Canal Once", active: false }],
        page: 0,
        size: 25,
        totalPages: 1,
        totalElements: 3,
      });
    }),
    http.get("/api/links/summary", () => HttpResponse.json(summary)),
    http.get("/api/links/4/changes", () =>
      HttpResponse.json([
        {
          occurredAt: "2026-11-20T14:04:00Z",
          from: "SUSPECT",
          to: "DOWN",
          outcome: "HTTP",
          httpStatus: 404,
        },
      ]),
    ),
    http.get("/api/links/4/days", () => HttpResponse.json(days)),
  );
});

async function open() {
  const { user } = renderPage("/content/links");
  const row = async (title: string) => {
    const link = await screen.findByRole("link", { name: title });
    return within(link.closest("tr") as HTMLElement);
  };
  return { user, row };
}

test("a row says what was found, which stream it is, and whether it is probed at all", async () => {
  const { row } = await open();
  const failing = await row("Canal Nueve");
  expect(failing.getByText("Caído")).toBeVisible();
  expect(failing.getByText("Apagado por el servicio")).toBeVisible();
  expect(failing.getByText(/El servidor respondió con un error \(404\)/)).toBeVisible();
  expect(failing.getByText("Señal 2 · cdn.example.com")).toBeVisible();
  const playing = await row("Canal Diez");
  expect(playing.getByText("HLS · 1080p · avc1 · 2 calidades")).toBeVisible();
  expect((await row("Canal Once")).getByText("Inactivo")).toBeVisible();
  expect((await row("Canal Once")).queryByRole("button", { name: /Comprobar/ })).not.toBeInTheDocument();
});

test("a channel that the service has deactivated stays inactive when a user with the permission confirms it", async () => {
  const sent: unknown[] = [];
  server.use(
    http.patch("/api/tv-channels/:id/status", async ({ params, request }) => {
      sent.push([params.id, await request.json()]);
      return HttpResponse.json({});
    }),
  );
  const { user, row } = await open();
  expect((await row("Canal Diez")).queryByRole("button", { name: /^Dejar apagado/ })).not.toBeInTheDocument();
  await user.click((await row("Canal Nueve")).getByRole("button", { name: /^Dejar apagado «Canal Nueve»/ }));
  expect(await screen.findByText("«Canal Nueve» se queda apagado hasta que alguien lo active")).toBeVisible();
  expect(sent).toEqual([["9", { active: false }]]);
});

test("a host whose links fail together is one incident, and opens its links", async () => {
  const { user } = await open();
  const incidents = within(await screen.findByRole("list", { name: "Servidores con incidencias" }));
  expect(incidents.getAllByRole("listitem")).toHaveLength(1);
  await user.click(incidents.getByRole("link", { name: "cdn.example.com: fallan 3 de 4 enlaces a la vez" }));
  await expect.poll(() => searches.at(-1)).toContain("host=cdn.example.com");
});

test("hosts that fail stand in a table with how often their links played", async () => {
  const { user } = await open();
  await user.click(await screen.findByText("2 servidores con enlaces que fallan"));
  const cells = (host: string) => {
    const row = screen.getByRole("link", { name: host }).closest("tr") as HTMLElement;
    return within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent);
  };
  expect(cells("cdn.example.com")).toEqual(["4", "3", "66 %"]);
  expect(cells("otro.example.com")).toEqual(["9", "1", "—Sin valor"]);
});

test("a host without a name is no link: it would open all links", async () => {
  const nameless = { ...summary.hosts[0], host: "" } as LinkSummary["hosts"][number];
  server.use(http.get("/api/links/summary", () => HttpResponse.json({ ...summary, hosts: [nameless] })));
  const { user } = await open();
  const incidents = within(await screen.findByRole("list", { name: "Servidores con incidencias" }));
  expect(incidents.getByText("Sin dirección: fallan 3 de 4 enlaces a la vez")).toBeVisible();
  expect(incidents.queryByRole("link")).not.toBeInTheDocument();
  await user.click(screen.getByText("1 servidor con enlaces que fallan"));
  const head = screen.getByRole("rowheader", { name: "Sin dirección" });
  expect(within(head).queryByRole("link")).not.toBeInTheDocument();
});

test("the history of a link that is gone is not shown as it was read before", async () => {
  const { user, row } = await open();
  const show = async () => user.click((await row("Canal Nueve")).getByRole("button", { name: /Historial/ }));
  await show();
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("De «En duda» a «Caído».");
  await user.click(dialog.getByRole("button", { name: "Cerrar" }));
  server.use(
    http.get("/api/links/4/changes", () => problem(404, { code: "NOT_FOUND", message: "No existe." })),
  );
  await show();
  const again = within(await screen.findByRole("dialog"));
  expect(await again.findByText("No existe.")).toBeVisible();
  expect(again.queryByText("De «En duda» a «Caído».")).not.toBeInTheDocument();
});

test("counts open the list of their state, and channels with too few streams theirs", async () => {
  const { user } = await open();
  const states = within(await screen.findByRole("list", { name: "Enlaces por estado" }));
  expect(states.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "Caído 3",
    "Se reproduce 1.200",
  ]);
  await user.click(states.getByRole("link", { name: /Caído/ }));
  await expect.poll(() => searches.at(-1)).toContain("state=DOWN");
  const channels = within(screen.getByRole("list", { name: "Canales con pocas señales" }));
  expect(channels.getAllByRole("listitem")).toHaveLength(1);
  await user.click(channels.getByRole("link", { name: /Sin una segunda señal 7/ }));
  await expect.poll(() => searches.at(-1)).toContain("redundancy=SINGLE");
});

test("the history has the share of 30 days, a table of them, and the changes", async () => {
  const { user, row } = await open();
  const button = (await row("Canal Nueve")).getByRole("button", { name: /Historial/ });
  await user.click(button);
  const dialog = within(await screen.findByRole("dialog", { name: "Historial del enlace de «Canal Nueve»" }));
  expect(
    await dialog.findByText("Se reproduce en el 25 % de las comprobaciones de los últimos 30 días"),
  ).toBeVisible();
  const table = within(
    dialog.getByRole("table", { name: "Comprobaciones de «Canal Nueve» en los últimos 30 días" }),
  );
  expect(table.getAllByRole("row")).toHaveLength(31);
  expect(table.getAllByRole("row").at(-1)).toHaveTextContent(/^30 nov13$/);
  expect(dialog.getByText("De «En duda» a «Caído».")).toBeVisible();
});

test("a probe is requested, and a refusal says why", async () => {
  let status = 202;
  let delayed = false;
  server.use(
    http.post("/api/links/4/probe", () =>
      status === 202
        ? HttpResponse.json({ ...down, delayed }, { status })
        : problem(status, { code: "NOT_FOUND", message: "No existe." }),
    ),
  );
  const { user, row } = await open();
  const check = (await row("Canal Nueve")).getByRole("button", { name: "Comprobar «Canal Nueve» ahora" });
  await user.click(check);
  expect(await screen.findByText("«Canal Nueve» se comprueba en unos segundos")).toBeVisible();
  // The host is paused: the probe is delayed.
  delayed = true;
  await user.click(check);
  expect(await screen.findByText(/^«Canal Nueve» se comprueba el 20 de noviembre de 2026/)).toBeVisible();
  status = 404;
  await user.click(check);
  expect(await screen.findByText("No se pudo comprobar «Canal Nueve»")).toBeVisible();
});

test("where links are not probed the page says so, and has no button for it", async () => {
  server.use(http.get("/api/links/summary", () => HttpResponse.json({ ...summary, probed: false })));
  const { row } = await open();
  await row("Canal Nueve");
  expect(await screen.findByText("Los enlaces no se comprueban (CARTELERA_PROBE_HOURS es 0).")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Comprobar/ })).not.toBeInTheDocument();
  expect(screen.queryByText(/se abren cada pocas horas/)).not.toBeInTheDocument();
});

test("users who may not change channels see their links and cannot request a probe", async () => {
  backend.user = { ...backend.user, permissions: ["TVCHANNEL_READ"] } as typeof backend.user;
  const { row } = await open();
  expect((await row("Canal Nueve")).getByText("Caído")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Comprobar/ })).not.toBeInTheDocument();
});

test("shares are rounded down: a hundred of a hundred is nothing less", () => {
  expect(shareOf([{ good: 999, failed: 1 }])).toBe(99);
  expect(shareOf([{ good: 7, failed: 0 }])).toBe(100);
  expect(shareOf([{ good: 0, failed: 0 }])).toBeUndefined();
});
