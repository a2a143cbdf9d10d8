// The review of guides: reasons as sentences, keys and buttons, conflicts, undo, bulk acceptance.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import type { Candidate } from "../../guides/candidates/CandidateRow";
import { backend, problem } from "../../testing/backend";
import { expectLeavingConfirms } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { Match } from "./queries";

function candidate(place: number, change: Partial<Candidate> = {}): Candidate {
  return {
    guideId: 1,
    guideTitle: "Guía nacional",
    xmlId: `c${place}`,
    name: `Candidato ${place}`,
    score: 90 - place,
    for: [{ code: "WORDS", message: "" }],
    against: [],
    now: null,
    ...change,
  };
}

function match(id: number, change: Partial<Match> = {}): Match {
  return {
    id,
    version: 3,
    channelNumber: id,
    title: `Canal ${id}`,
    imageUrl: null,
    epgId: null,
    link: null,
    level: "REVIEW",
    candidates: [candidate(1), candidate(2, { against: [{ code: "NUMBER_DIFFERS", message: "" }] })],
    decision: null,
    decidedBy: null,
    decidedDate: null,
    undoUntil: null,
    ...change,
  };
}

let rows: Match[] = [];
let counted: string[] = [];
let sent: { path: string; body: unknown; version: string | null }[] = [];

const matching = () => ({
  auto: 86,
  review: 30,
  lead: 6,
  automatic: true,
  version: 1,
  updatedBy: null,
  state: "IDLE",
  requestedBy: null,
  finishedDate: "2026-11-20T10:15:00Z",
  counts: { channels: 0, sure: 0, review: 0, none: 0 },
  levels: [
    { level: "AUTO", count: 4 },
    { level: "REVIEW", count: rows.length },
    { level: "NONE", count: 1 },
  ],
});

beforeEach(() => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Mi rol", permissions: [] };
  rows = [match(1), match(2), match(3)];
  sent = [];
  counted = [];
  const record = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const body = request.body ? await request.json() : undefined;
    sent.push({ path: pathname, body, version: request.headers.get("if-match") });
  };
  server.use(
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [] })),
    http.get("/api/epg-matching", () => HttpResponse.json(matching())),
    http.get("/api/epg-matches", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const channel = query.get("channel");
      const found = channel ? rows.filter(({ id }) => id === Number(channel)) : rows;
      const [page, size] = [Number(query.get("_page") ?? 0), Number(query.get("_size") ?? 25)];
      return HttpResponse.json({
        content: found.slice(page * size, (page + 1) * size),
        page,
        size,
        totalPages: Math.ceil(found.length / size),
        totalElements: found.length,
      });
    }),
    http.get("/api/epg-matches/counts", ({ request }) => {
      counted.push(new URL(request.url).search);
      return HttpResponse.json({
        total: rows.length,
        bands: [
          { from: 80, to: 89, count: 2 },
          { from: 30, to: 39, count: 1 },
        ],
        reasons: [{ code: "WORDS", message: "", count: rows.length }],
      });
    }),
    http.put("/api/tv-channels/:id/guide-link", async ({ request, params }) => {
      await record(request);
      const of = rows.find(({ id }) => id === Number(params.id)) as Match;
      rows = rows.filter(({ id }) => id !== of.id);
      return HttpResponse.json({ ...of, version: of.version + 1, decision: "ACCEPTED", level: "AUTO" });
    }),
    http.post("/api/epg-matches/undo", async ({ request }) => {
      await record(request);
      rows = [match(1), ...rows.filter(({ id }) => id !== 1)];
      return HttpResponse.json(match(1));
    }),
    http.put("/api/epg-matching", async ({ request }) => {
      await record(request);
      return HttpResponse.json(matching());
    }),
    http.post("/api/epg-matches/accept", async ({ request }) => {
      await record(request);
      return problem(409, { code: "COUNT_CHANGED", message: "Ahora son 2." });
    }),
  );
});

const accept = (place: number, id: number) =>
  screen.findByRole("button", { name: `Aceptar «Candidato ${place}» para «Canal ${id}»` });

test("each candidate says in sentences what speaks for and against it, and what is on", async () => {
  rows = [match(1, { candidates: [candidate(1, { against: [{ code: "NUMBER_DIFFERS", message: "" }] })] })];
  renderPage("/content/epg-review");
  const card = within(await screen.findByRole("region", { name: "1 Canal 1" }));
  card.getByText("Las palabras que distinguen al canal coinciden");
  card.getByText("El número es distinto, así que es otro canal");
  card.getByText("Guía nacional · c1");
  card.getByText("Ahora no hay ningún programa");
});

test("what was accepted is named as it is called in its guide, also where another guide has the same id", async () => {
  const other = candidate(2, { guideId: 2, guideTitle: "Guía local", xmlId: "c1" });
  rows = [match(1, { candidates: [candidate(1), other] })];
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(2, 1));
  expect(await screen.findByText("«Canal 1» es «Candidato 2»")).toBeVisible();
  expect(sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 2, xmlId: "c1" });
});

test("the keys decide about the channel that has the focus, and the next one gets it", async () => {
  const { user } = renderPage("/content/epg-review");
  const first = await accept(1, 1);
  await waitFor(() => expect(document.activeElement).toBe(first));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(screen.queryByRole("region", { name: "1 Canal 1" })).toBeNull());
  expect(document.activeElement).toBe(await accept(1, 2));
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(await accept(1, 3));
  await user.keyboard("{ArrowUp}2");
  await waitFor(() => expect(screen.queryByRole("region", { name: "2 Canal 2" })).toBeNull());
  await user.keyboard("x");
  await screen.findByText("Ningún canal espera una decisión.");
  expect(sent).toEqual([
    {
      path: "/api/tv-channels/1/guide-link",
      body: { verdict: "ACCEPTED", guideId: 1, xmlId: "c1" },
      version: '"3"',
    },
    {
      path: "/api/tv-channels/2/guide-link",
      body: { verdict: "ACCEPTED", guideId: 1, xmlId: "c2" },
      version: '"3"',
    },
    { path: "/api/tv-channels/3/guide-link", body: { verdict: "NO_GUIDE" }, version: '"3"' },
  ]);
});

test("a link that is accepted again keeps its shift; the same id in another guide gets none", async () => {
  const of = (guideId: number) => candidate(guideId, { guideId, xmlId: "rosa.es" });
  const link = { guideId: 1, xmlId: "rosa.es", shiftMinutes: 60 };
  rows = [1, 2].map((id) => match(id, { epgId: "rosa.es", link, candidates: [of(2), of(1)] }));
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(2, 1));
  await waitFor(() => expect(sent).toHaveLength(1));
  await user.click(await accept(1, 2));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map(({ body }) => body)).toEqual([
    { verdict: "ACCEPTED", guideId: 2, xmlId: "rosa.es" },
    { verdict: "ACCEPTED", guideId: 1, xmlId: "rosa.es", shiftMinutes: 60 },
  ]);
});

test("the candidate that a channel is linked with says so, and is not accepted again by button or key", async () => {
  const link = { guideId: 1, xmlId: "c1", shiftMinutes: null };
  rows = [match(1, { level: "AUTO", decision: "LINKED", link }), match(2)];
  const { user } = renderPage("/content/epg-review?level=AUTO");
  const card = within(await screen.findByRole("region", { name: "1 Canal 1" }));
  expect(card.getByText("Enlazado ahora")).toBeVisible();
  expect(card.getAllByRole("button", { name: /^Aceptar/ })).toHaveLength(1);
  // The first candidate has the focus, not the one that would be exchanged for it.
  await waitFor(() => expect(card.getByText("Enlazado ahora")).toHaveFocus());
  await user.keyboard("{Enter}1");
  await user.keyboard("2");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 1, xmlId: "c2" });
});

test("a link that is asked about says so, and is confirmed by accepting it", async () => {
  const link = { guideId: 1, xmlId: "c1", shiftMinutes: 60 };
  rows = [
    match(1, {
      link,
      candidates: [candidate(1, { against: [{ code: "ID_CONTRADICTS_NAME", message: "" }] })],
    }),
  ];
  const { user } = renderPage("/content/epg-review");
  expect(await screen.findByText("Enlazado ahora")).toBeVisible();
  await user.click(await accept(1, 1));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 1, xmlId: "c1", shiftMinutes: 60 });
});

test("a key that is held down decides about one channel, and leads from channel to channel", async () => {
  const { user } = renderPage("/content/epg-review");
  const first = await accept(1, 1);
  await waitFor(() => expect(document.activeElement).toBe(first));
  const hold = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key, repeat: true });
  await user.keyboard("{ArrowDown}{ArrowUp}1");
  for (const key of ["1", "0", "x", "2"]) hold(key);
  // The browser would click the button that has the focus.
  expect(hold("Enter")).toBe(false);
  // Tab and others stay the browser's.
  expect(hold("Tab")).toBe(true);
  await waitFor(() => expect(screen.queryByRole("region", { name: "1 Canal 1" })).toBeNull());
  expect(sent).toHaveLength(1);
  hold("ArrowDown");
  expect(document.activeElement).toBe(await accept(1, 3));
});

test("guide health, which was read before, is read again after a decision", async () => {
  const read: string[] = [];
  const coverage = { percent: 100, gaps: 0, overlaps: 0, placeholders: 0 };
  server.use(
    http.get("/api/guide-health", () => {
      read.push("health");
      const health = { channels: read.length, day: coverage, threeDays: coverage, guides: [], without: [] };
      return HttpResponse.json(health);
    }),
  );
  const { user, router } = renderPage("/content/guide-health");
  await screen.findByText("Canales activos");
  await act(() => router.navigate("/content/epg-review"));
  await user.click(await accept(1, 1));
  await waitFor(() => expect(screen.queryByRole("region", { name: "1 Canal 1" })).toBeNull());
  await act(() => router.navigate("/content/guide-health"));
  await waitFor(() => expect(read).toHaveLength(2));
});

test("the filter by guide says that it is about the best candidate, to the eye too", async () => {
  renderPage("/content/epg-review");
  const filter = await screen.findByRole("combobox", { name: "Guía del mejor candidato" });
  expect(filter).toHaveAttribute("title", "Guía del mejor candidato");
});

test("buttons do the same, and a decision is undone from its message", async () => {
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Ninguno de estos es «Canal 1»" }));
  await screen.findByText("«Canal 1» no es ninguno de esos canales");
  await user.click(await screen.findByRole("button", { name: "Deshacer" }));
  await screen.findByText("Decisión sobre «Canal 1» deshecha");
  await screen.findByRole("region", { name: "1 Canal 1" });
  // The undo is about this decision: another one may be the last by then.
  expect(sent.map(({ body, version }) => [body, version])).toEqual([
    [{ verdict: "REFUSED" }, '"3"'],
    [{ channelId: 1 }, '"4"'],
  ]);
});

test("a double click takes one decision back", async () => {
  const decided = { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO" } as const;
  const undoUntil = new Date(Date.now() + 5 * 60_000).toISOString();
  rows = [match(2, { ...decided, decidedDate: "2026-11-20T10:15:00Z", undoUntil, version: 7 })];
  server.use(
    http.post("/api/epg-matches/undo", async ({ request }) => {
      sent.push({ path: "", body: await request.json(), version: request.headers.get("if-match") });
      await delay(100);
      return HttpResponse.json(match(2, { version: 8 }));
    }),
  );
  const { user } = renderPage("/content/epg-review?level=AUTO");
  await user.dblClick(await screen.findByRole("button", { name: "Deshacer la decisión sobre «Canal 2»" }));
  await screen.findByText("Decisión sobre «Canal 2» deshecha");
  expect(sent).toEqual([{ path: "", body: { channelId: 2 }, version: '"7"' }]);
});

test("what the address names that the review does not have is not requested", async () => {
  const requests: string[] = [];
  server.events.on("request:start", ({ request }) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/api/epg-matches") requests.push(search);
  });
  const wrong = "level=SURE&guide=0&reason=WORDS,ANY&channel=x&page=-1&size=0&sort=title";
  const { address } = renderPage(`/content/epg-review?_page=-1&${wrong}`);
  expect(await screen.findByText("Canal 1")).toBeVisible();
  expect(
    await screen.findByText(
      /esta página no tiene \(level=SURE, guide=0, reason=WORDS,ANY, channel=x, page=-1, size=0 y sort=title\)\./,
    ),
  ).toBeVisible();
  expect(address()).toBe("/content/epg-review?_page=-1");
  expect(new Set(requests)).toEqual(new Set(["?_page=0&_size=25&level=REVIEW"]));
  server.events.removeAllListeners();
});

test("the second of two users sees who decided, and what", async () => {
  server.use(
    http.put("/api/tv-channels/:id/guide-link", () => {
      rows = [
        match(1, { decision: "NO_GUIDE", decidedBy: "eva", level: "NONE", version: 4 }),
        ...rows.slice(1),
      ];
      return problem(409, { code: "CONFLICT", message: "eva ya ha decidido sobre este canal." });
    }),
  );
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(1, 1));
  await screen.findByText("eva ya ha decidido sobre este canal.");
  const card = within(screen.getByRole("region", { name: "1 Canal 1" }));
  await waitFor(() => expect(card.queryByRole("button", { name: "«Canal 1» no tiene guía" })).toBeNull());
});

test("a channel that another user linked by its form meanwhile leaves the review, with the reason", async () => {
  server.use(
    http.put("/api/tv-channels/:id/guide-link", () => {
      rows = rows.slice(1);
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió." });
    }),
  );
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(1, 1));
  await waitFor(() => expect(screen.queryByRole("region", { name: "1 Canal 1" })).toBeNull());
  await screen.findByText("La decisión sobre «Canal 1» no se guardó");
  await screen.findByText(/^Ya no está en la revisión: entretanto se enlazó desde su formulario/);
  expect(shown()).toEqual(["2", "3"]);
});

test("guides that could not be loaded are said to be so, and are loaded again", async () => {
  server.use(
    http.get("/api/tv-guides", () => problem(403, { message: "Hoy no." }), { once: true }),
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [{ id: 1, title: "Guía nacional" }] })),
  );
  const { user } = renderPage("/content/epg-review");
  const field = await screen.findByRole("combobox", { name: "Guía del mejor candidato" });
  await waitFor(() => expect(field).toHaveAccessibleDescription("Error al cargar los datos"));
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await within(field).findByRole("option", { name: "Guía nacional" });
});

test("a failure on a card goes away once the channel is decided", async () => {
  let isFirst = true;
  server.use(
    http.put("/api/tv-channels/:id/guide-link", () => {
      if (isFirst) {
        isFirst = false;
        return problem(409, { code: "CONFLICT", message: "eva ya ha decidido sobre este canal." });
      }
      rows = [
        match(1, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", version: 4 }),
        ...rows.slice(1),
      ];
      return HttpResponse.json(rows[0]);
    }),
  );
  const { user } = renderPage("/content/epg-review?level=AUTO");
  await user.click(await accept(1, 1));
  await screen.findByText("eva ya ha decidido sobre este canal.");
  await user.click(await accept(1, 1));
  expect(await screen.findByText(/· ana$/)).toBeVisible();
  expect(screen.queryByText("eva ya ha decidido sobre este canal.")).toBeNull();
});

test("a decision is undone by its card for as long as it can be", async () => {
  const in5Minutes = new Date(Date.now() + 5 * 60_000).toISOString();
  const before = new Date(Date.now() - 5 * 60_000).toISOString();
  rows = [
    match(1, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", undoUntil: in5Minutes }),
    match(2, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", undoUntil: before }),
  ];
  const { user } = renderPage("/content/epg-review?level=AUTO");
  await accept(1, 2);
  expect(screen.queryByRole("button", { name: "Deshacer la decisión sobre «Canal 2»" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Deshacer la decisión sobre «Canal 1»" }));
  await waitFor(() => expect(sent.map(({ body }) => body)).toEqual([{ channelId: 1 }]));
});

const shown = () =>
  screen.queryAllByRole("region", { name: /Canal/ }).map((card) => card.textContent?.slice(0, 1));

test("a page is filled up as channels are decided, so that the next one skips none", async () => {
  rows = [1, 2, 3, 4, 5, 6].map((id) => match(id));
  const { user } = renderPage("/content/epg-review?size=2");
  await user.click(await accept(1, 1));
  await accept(1, 3);
  expect(shown()).toEqual(["2", "3"]);
  await user.click(screen.getByRole("button", { name: "Página siguiente" }));
  await accept(1, 4);
  await waitFor(() => expect(shown()).toEqual(["4", "5"]));
});

test("a last page whose channels are decided leads to the one before it", async () => {
  const { user, address } = renderPage("/content/epg-review?size=2&page=2");
  await user.click(await accept(1, 3));
  await accept(1, 1);
  expect(shown()).toEqual(["1", "2"]);
  expect(address()).toBe("/content/epg-review?size=2");
});

test("many are accepted after their number was shown; a number that changed is said", async () => {
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("Se enlazarán 3 canales con su mejor candidato.");
  await user.click(await dialog.findByRole("button", { name: "Enlazar 3 canales" }));
  await dialog.findByText("Ahora son 2.");
  expect(sent[0]?.body).toEqual({
    filter: { minScore: 30, clear: true, level: "REVIEW,AUTO", decided: false },
    expectedCount: 3,
  });
});

test("many are accepted by their reasons, too: all that are chosen", async () => {
  const previews: (string | null)[] = [];
  server.events.on("request:start", ({ request }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/epg-matches" && searchParams.has("minScore"))
      previews.push(searchParams.get("reason"));
  });
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("combobox", { name: "Con todos estos motivos" }));
  const choices = within(await screen.findByRole("listbox", { name: "Con todos estos motivos" }));
  await user.click(choices.getByRole("option", { name: "Los nombres son iguales" }));
  await user.click(choices.getByRole("option", { name: "El país coincide" }));
  await waitFor(() => expect(previews.at(-1)).toBe("NAME_EQUAL,COUNTRY_AGREES"));
  await user.click(await dialog.findByRole("button", { name: "Enlazar 3 canales" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toMatchObject({ filter: { reason: "NAME_EQUAL,COUNTRY_AGREES" } });
});

test("many begin with the filters of the page, and are counted by score and reason with links to the list", async () => {
  const { user, address } = renderPage("/content/epg-review?guide=1&reason=WORDS&search=azul");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  const scores = within(await dialog.findByRole("list", { name: "Por puntuación" }));
  const query = new URLSearchParams(counted.at(-1));
  const sentFilters = ["minScore", "guide", "reason", "search", "clear", "decided"].map((name) =>
    query.get(name),
  );
  expect(sentFilters).toEqual(["30", "1", "WORDS", "azul", "true", "false"]);
  expect(scores.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "De 80 a 89 puntos: 2",
    "De 30 a 39 puntos: 1",
  ]);
  expect(dialog.getByRole("list", { name: "Por motivo" })).toHaveTextContent(/coinciden 3/);
  await user.click(scores.getByRole("link", { name: "De 80 a 89 puntos:" }));
  const shown = new URL(address(), "http://x").searchParams;
  expect([shown.get("minScore"), shown.get("maxScore"), shown.get("decision")]).toEqual(["80", "89", "NONE"]);
  await user.click(await screen.findByRole("button", { name: /Puntuación de 80 a 89/ }));
  await waitFor(() => expect(address()).not.toContain("Score"));
});

test("after a number that changed, the present one is shown and accepted", async () => {
  const counts: unknown[] = [];
  server.use(
    http.post("/api/epg-matches/accept", async ({ request }) => {
      counts.push(((await request.json()) as { expectedCount: number }).expectedCount);
      return problem(409, { code: "COUNT_CHANGED", message: "Ahora son 2." });
    }),
  );
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  const verb = await dialog.findByRole("button", { name: "Enlazar 3 canales" });
  rows = rows.slice(1);
  await user.click(verb);
  await user.click(await dialog.findByRole("button", { name: "Enlazar 2 canales" }));
  await waitFor(() => expect(counts).toEqual([3, 2]));
});

test("settings say what follows from them", async () => {
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Ajustes" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("Más bajo: se enlazan más canales sin preguntar, también alguno equivocado.");
  await user.click(dialog.getByRole("switch", { name: /^Enlazar sin preguntar/ }));
  await user.click(dialog.getByRole("button", { name: "Guardar ajustes" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toEqual({
    path: "/api/epg-matching",
    body: { auto: 86, review: 30, lead: 6, automatic: false },
    version: '"1"',
  });
});

test("settings that were changed are not lost by leaving the page", async () => {
  const page = renderPage("/content/epg-review");
  await page.user.click(await screen.findByRole("button", { name: "Ajustes" }));
  const dialog = within(await screen.findByRole("dialog"));
  const automatic = dialog.getByRole("switch", { name: /^Enlazar sin preguntar/ });
  await page.user.click(automatic);
  await expectLeavingConfirms(page);
  expect(automatic).not.toBeChecked();
});

test("a comparison that failed is reported, and another one can be started", async () => {
  server.use(http.get("/api/epg-matching", () => HttpResponse.json({ ...matching(), state: "FAILED" })));
  renderPage("/content/epg-review");
  expect(await screen.findByText("La última comparación falló")).toBeVisible();
  expect(screen.getByRole("button", { name: "Comparar ahora" })).toBeEnabled();
});

test("users who cannot start a comparison do not read about the button", async () => {
  backend.user = {
    username: "ana",
    roleCode: "agent",
    roleName: "Mi rol",
    permissions: ["TVCHANNEL_READ"],
  };
  server.use(http.get("/api/epg-matching", () => HttpResponse.json({ ...matching(), state: "FAILED" })));
  renderPage("/content/epg-review");
  expect(await screen.findByText("Se compara otra vez cuando cambia una guía.")).toBeVisible();
  expect(screen.queryByText(/Comparar ahora/)).not.toBeInTheDocument();
});

test.each(["IDLE", "RUNNING"])(
  "settings that another user changed are kept beside one's own (%s)",
  async (state) => {
    // While channels are matched the settings are read, too: what was read meanwhile is nothing that was seen.
    let set = { ...matching(), state };
    let reads = 0;
    server.use(
      http.get("/api/epg-matching", () => {
        reads += 1;
        return HttpResponse.json(set);
      }),
      http.put("/api/epg-matching", async ({ request }) => {
        const seen = request.headers.get("if-match");
        sent.push({ path: "", body: await request.json(), version: seen });
        return seen === `"${set.version}"`
          ? HttpResponse.json(set)
          : problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: set });
      }),
    );
    const { user } = renderPage("/content/epg-review");
    await user.click(await screen.findByRole("button", { name: "Ajustes" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("switch", { name: /^Enlazar sin preguntar/ }));
    set = { ...set, version: 2, auto: 95 };
    const before = reads;
    if (state === "RUNNING") await waitFor(() => expect(reads).toBeGreaterThan(before + 1));
    await user.click(dialog.getByRole("button", { name: "Guardar ajustes" }));
    await screen.findByText("Se conservaron también los cambios de otra persona en: Se enlaza desde.");
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(sent.map(({ body, version }) => [version, body])).toEqual([
      ['"1"', { auto: 86, review: 30, lead: 6, automatic: false }],
      ['"2"', { auto: 95, review: 30, lead: 6, automatic: false }],
    ]);
  },
);

test("users who may only read see the candidates and no buttons", async () => {
  backend.user = {
    username: "ana",
    roleCode: "agent",
    roleName: "Mi rol",
    permissions: ["TVCHANNEL_READ", "TVGUIDE_READ"],
  };
  renderPage("/content/epg-review");
  const card = within(await screen.findByRole("region", { name: "1 Canal 1" }));
  expect(card.queryAllByRole("button")).toEqual([]);
});

test("decided channels of all levels are found by their decision, and one without a guide can get one", async () => {
  const queries: string[] = [];
  rows = [match(1, { level: "NONE", candidates: [], decision: "NO_GUIDE", decidedBy: "ana" })];
  server.use(
    http.get("/api/epg-matches", ({ request }) => {
      queries.push(new URL(request.url).search);
      return HttpResponse.json({
        content: rows,
        page: 0,
        size: 25,
        totalPages: 1,
        totalElements: rows.length,
      });
    }),
  );
  const { user } = renderPage("/content/epg-review");
  await screen.findByRole("region", { name: "1 Canal 1" });
  expect(queries.at(-1)).toContain("level=REVIEW");
  await user.selectOptions(screen.getByRole("combobox", { name: "Decisión" }), "No tiene guía");
  await waitFor(() => expect(queries.at(-1)).toContain("decision=NO_GUIDE"));
  expect(queries.at(-1)).not.toContain("level=");
  expect(screen.getByRole("combobox", { name: "Qué se muestra" })).toHaveDisplayValue("Todos los niveles");
  const card = within(screen.getByRole("region", { name: "1 Canal 1" }));
  expect(card.getByRole("button", { name: "Candidatos de guía" })).toBeEnabled();
  await user.selectOptions(screen.getByRole("combobox", { name: "Decisión" }), "Sin decidir");
  await waitFor(() => expect(queries.at(-1)).toContain("decided=false"));
  expect(queries.at(-1)).not.toContain("decision=");
});
