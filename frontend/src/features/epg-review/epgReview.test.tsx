// The review of guides: reasons as sentences, keys and buttons, conflicts, undo.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { backend, problem } from "../../testing/backend";
import { candidate, match, review, serveReview } from "../../testing/epgReview";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveReview);

const accept = (place: number, id: number) =>
  screen.findByRole("button", { name: `Aceptar «Candidato ${place}» para «Canal ${id}»` });

test("each candidate says in sentences what speaks for and against it, and what is on", async () => {
  review.rows = [
    match(1, { candidates: [candidate(1, { against: [{ code: "NUMBER_DIFFERS", message: "" }] })] }),
  ];
  renderPage("/content/epg-review");
  const card = within(await screen.findByRole("region", { name: "1 Canal 1" }));
  card.getByText("Las palabras que distinguen al canal coinciden");
  card.getByText("El número es distinto, así que es otro canal");
  card.getByText("Guía nacional · c1");
  card.getByText("Ahora no hay ningún programa");
});

test("what was accepted is named as it is called in its guide, also where another guide has the same id", async () => {
  const other = candidate(2, { guideId: 2, guideTitle: "Guía local", xmlId: "c1" });
  review.rows = [match(1, { candidates: [candidate(1), other] })];
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(2, 1));
  expect(await screen.findByText("«Canal 1» es «Candidato 2»")).toBeVisible();
  expect(review.sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 2, xmlId: "c1" });
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
  expect(review.sent).toEqual([
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
  review.rows = [1, 2].map((id) => match(id, { epgId: "rosa.es", link, candidates: [of(2), of(1)] }));
  const { user } = renderPage("/content/epg-review");
  await user.click(await accept(2, 1));
  await waitFor(() => expect(review.sent).toHaveLength(1));
  await user.click(await accept(1, 2));
  await waitFor(() => expect(review.sent).toHaveLength(2));
  expect(review.sent.map(({ body }) => body)).toEqual([
    { verdict: "ACCEPTED", guideId: 2, xmlId: "rosa.es" },
    { verdict: "ACCEPTED", guideId: 1, xmlId: "rosa.es", shiftMinutes: 60 },
  ]);
});

test("the candidate that a channel is linked with says so, and is not accepted again by button or key", async () => {
  const link = { guideId: 1, xmlId: "c1", shiftMinutes: null };
  review.rows = [match(1, { level: "AUTO", decision: "LINKED", link }), match(2)];
  const { user } = renderPage("/content/epg-review?level=AUTO");
  const card = within(await screen.findByRole("region", { name: "1 Canal 1" }));
  expect(card.getByText("Enlazado ahora")).toBeVisible();
  expect(card.getAllByRole("button", { name: /^Aceptar/ })).toHaveLength(1);
  // The first candidate has the focus, not the one that would be exchanged for it.
  await waitFor(() => expect(card.getByText("Enlazado ahora")).toHaveFocus());
  await user.keyboard("{Enter}1");
  await user.keyboard("2");
  await waitFor(() => expect(review.sent).toHaveLength(1));
  expect(review.sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 1, xmlId: "c2" });
});

test("a link that is asked about says so, and is confirmed by accepting it", async () => {
  const link = { guideId: 1, xmlId: "c1", shiftMinutes: 60 };
  review.rows = [
    match(1, {
      link,
      candidates: [candidate(1, { against: [{ code: "ID_CONTRADICTS_NAME", message: "" }] })],
    }),
  ];
  const { user } = renderPage("/content/epg-review");
  expect(await screen.findByText("Enlazado ahora")).toBeVisible();
  await user.click(await accept(1, 1));
  await waitFor(() => expect(review.sent).toHaveLength(1));
  expect(review.sent[0]?.body).toEqual({ verdict: "ACCEPTED", guideId: 1, xmlId: "c1", shiftMinutes: 60 });
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
  expect(review.sent).toHaveLength(1);
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
  expect(review.sent.map(({ body, version }) => [body, version])).toEqual([
    [{ verdict: "REFUSED" }, '"3"'],
    [{ channelId: 1 }, '"4"'],
  ]);
});

test("a double click takes one decision back", async () => {
  const decided = { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO" } as const;
  const undoUntil = new Date(Date.now() + 5 * 60_000).toISOString();
  review.rows = [match(2, { ...decided, decidedDate: "2026-11-20T10:15:00Z", undoUntil, version: 7 })];
  server.use(
    http.post("/api/epg-matches/undo", async ({ request }) => {
      review.sent.push({ path: "", body: await request.json(), version: request.headers.get("if-match") });
      await delay(100);
      return HttpResponse.json(match(2, { version: 8 }));
    }),
  );
  const { user } = renderPage("/content/epg-review?level=AUTO");
  await user.dblClick(await screen.findByRole("button", { name: "Deshacer la decisión sobre «Canal 2»" }));
  await screen.findByText("Decisión sobre «Canal 2» deshecha");
  expect(review.sent).toEqual([{ path: "", body: { channelId: 2 }, version: '"7"' }]);
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
      review.rows = [
        match(1, { decision: "NO_GUIDE", decidedBy: "eva", level: "NONE", version: 4 }),
        ...review.rows.slice(1),
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
      review.rows = review.rows.slice(1);
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
      review.rows = [
        match(1, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", version: 4 }),
        ...review.rows.slice(1),
      ];
      return HttpResponse.json(review.rows[0]);
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
  review.rows = [
    match(1, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", undoUntil: in5Minutes }),
    match(2, { decision: "ACCEPTED", decidedBy: "ana", level: "AUTO", undoUntil: before }),
  ];
  const { user } = renderPage("/content/epg-review?level=AUTO");
  await accept(1, 2);
  expect(screen.queryByRole("button", { name: "Deshacer la decisión sobre «Canal 2»" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Deshacer la decisión sobre «Canal 1»" }));
  await waitFor(() => expect(review.sent.map(({ body }) => body)).toEqual([{ channelId: 1 }]));
});

const shown = () =>
  screen.queryAllByRole("region", { name: /Canal/ }).map((card) => card.textContent?.slice(0, 1));

test("a page is filled up as channels are decided, so that the next one skips none", async () => {
  review.rows = [1, 2, 3, 4, 5, 6].map((id) => match(id));
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
  review.rows = [match(1, { level: "NONE", candidates: [], decision: "NO_GUIDE", decidedBy: "ana" })];
  server.use(
    http.get("/api/epg-matches", ({ request }) => {
      queries.push(new URL(request.url).search);
      return HttpResponse.json({
        content: review.rows,
        page: 0,
        size: 25,
        totalPages: 1,
        totalElements: review.rows.length,
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

function onPhone() {
  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query === "(max-width: 640px)",
  }));
}

test("on a phone the filters are behind one button, and chips once they are in use", async () => {
  onPhone();
  const queries: string[] = [];
  server.use(
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [{ id: 1, title: "Guía nacional" }] })),
  );
  server.events.on("request:start", ({ request }) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/api/epg-matches") queries.push(search);
  });
  const { user, address } = renderPage("/content/epg-review?reason=WORDS,COUNTRY_AGREES&level=AUTO");
  await screen.findByRole("region", { name: "1 Canal 1" });
  const reason = await screen.findByRole("combobox", { name: "Motivo" });
  expect(reason).toHaveDisplayValue("Las palabras que distinguen al canal coinciden, El país coincide");
  expect(screen.queryByRole("combobox", { name: "Decisión" })).not.toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await screen.findByRole("menuitem", { name: "Guía del mejor candidato" });
  await user.click(screen.getByRole("menuitem", { name: "Decisión" }));
  await user.selectOptions(await screen.findByRole("combobox", { name: "Decisión" }), "No tiene guía");
  await waitFor(() => expect(queries.at(-1)).toContain("decision=NO_GUIDE"));
  // Decided channels have other levels.
  expect(queries.at(-1)).not.toContain("level=");
  expect(screen.getByRole("combobox", { name: "Qué se muestra" })).toHaveDisplayValue("Todos los niveles");
  await user.click(screen.getByRole("button", { name: "Quitar filtros" }));
  await waitFor(() => expect(address()).toBe("/content/epg-review"));
});

test("on a phone guides that could not be loaded are said to be so, too", async () => {
  onPhone();
  server.use(
    http.get("/api/tv-guides", () => problem(403, { message: "Hoy no." }), { once: true }),
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [{ id: 1, title: "Guía nacional" }] })),
  );
  const { user } = renderPage("/content/epg-review");
  const failure = await screen.findByText(/Error al cargar los datos/);
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await waitFor(() => expect(failure).not.toBeInTheDocument());
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await user.click(await screen.findByRole("menuitem", { name: "Guía del mejor candidato" }));
  await within(await screen.findByRole("combobox", { name: "Guía del mejor candidato" })).findByRole(
    "option",
    {
      name: "Guía nacional",
    },
  );
});
