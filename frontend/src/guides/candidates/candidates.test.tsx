// Candidates on request: in a channel's form and in the preview of a playlist, in one guide or in all, and the decision.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { expectLeavingConfirms } from "../../testing/leaving";
import { newEntry, page, run, source } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { Candidate } from "./CandidateRow";

const best: Candidate = {
  guideId: 4,
  guideTitle: "Guía nacional",
  xmlId: "marea.azul",
  name: "Marea Azul TV",
  score: 92,
  for: [{ code: "NAME_EQUAL_WITHOUT_QUALITY", message: "" }],
  against: [{ code: "SECOND_TOO_NEAR", message: "" }],
  now: null,
};

const far: Candidate = { ...best, xmlId: "tormo.uno", name: "Tormo 1", score: 31, for: [], against: [] };

let sent: string[];
let decided: { body: unknown; version: string | null }[];
let channel: Record<string, unknown>;
/** Of the stored match. */
let level: string;

beforeEach(() => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Mi rol", permissions: [] };
  sent = [];
  decided = [];
  level = "AUTO";
  channel = {
    id: 7,
    version: 1,
    channelNumber: 7,
    title: "Marea Azul",
    imageUrl: null,
    tvGuideId: null,
    epgId: null,
    active: true,
    categories: [],
    urlType: "EXTERNAL",
    url: "http://h.example/7",
    adultContent: false,
    kidsContent: false,
    createdDate: "2026-11-20T10:00:00.000Z",
    updatedDate: "2026-11-20T10:00:00.000Z",
  };
  server.use(
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [{ id: 4, title: "Guía nacional" }] })),
    http.get("/api/categories", () => HttpResponse.json({ content: [] })),
    http.get("/api/tv-channels/7", () => HttpResponse.json(channel)),
    http.get("/api/epg-matches", () => HttpResponse.json({ content: [{ id: 7, level }] })),
    http.get("/api/epg-matches/candidates", ({ request }) => {
      sent.push(new URL(request.url).search);
      return HttpResponse.json({ version: 0, level: "REVIEW", candidates: [best, far] });
    }),
    http.put("/api/tv-channels/7/guide-link", async ({ request }) => {
      decided.push({ body: await request.json(), version: request.headers.get("if-match") });
      channel = { ...channel, version: 2, tvGuideId: 4, epgId: "marea.azul" };
      return HttpResponse.json({ id: 7, version: 1, candidates: [] });
    }),
    http.get("/api/playlist-sources/1", () => HttpResponse.json(source)),
    http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page([run]))),
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/playlist-sources/1/runs/5/counts", () =>
      HttpResponse.json({ new: 2, changed: 0, unchanged: 0, missing: 0, ignored: 0 }),
    ),
  );
});

test("the form of a channel shows its candidates in one guide, and takes the one that is accepted", async () => {
  const { user } = renderPage("/content/tv-channels/7/edit");
  const title = await screen.findByDisplayValue("Marea Azul");
  await user.type(title, " HD");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Candidatos de guía de «Marea Azul»" }));
  await dialog.findByText("Los nombres son iguales salvo la calidad o las notas");
  dialog.getByText("Otro canal de la guía encaja casi igual de bien");
  dialog.getByText("Los nombres tienen poco en común");
  await user.selectOptions(await dialog.findByRole("combobox", { name: "Guía" }), "Guía nacional");
  await waitFor(() => expect(sent).toEqual(["?channel=7", "?channel=7&guide=4"]));
  const accept = dialog.getByRole("button", { name: "Aceptar «Marea Azul TV» para «Marea Azul»" });
  await waitFor(() => expect(accept).toBeEnabled());
  await user.click(accept);
  await waitFor(() => expect(screen.getByDisplayValue("marea.azul")).toBeVisible());
  expect(decided).toEqual([
    { body: { verdict: "ACCEPTED", guideId: 4, xmlId: "marea.azul" }, version: '"0"' },
  ]);
  expect(title).toHaveValue("Marea Azul HD");
});

test("a channel with a link gets a shift of its own, and the one of its playlist again", async () => {
  const link = { guideId: 4, xmlId: "marea.azul", shiftMinutes: null as number | null };
  server.use(
    http.get("/api/epg-matches/candidates", () =>
      // A run would find no more than that.
      HttpResponse.json({ version: 3, level: "REVIEW", candidates: [best], link }),
    ),
    http.put("/api/tv-channels/7/guide-link", async ({ request }) => {
      const body = (await request.json()) as { shiftMinutes: number | null };
      decided.push({ body, version: request.headers.get("if-match") });
      link.shiftMinutes = body.shiftMinutes;
      return HttpResponse.json({ id: 7, version: 4, candidates: [] });
    }),
  );
  const rendered = renderPage("/content/tv-channels/7/edit");
  const { user } = rendered;
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía" }));
  const shift = await screen.findByRole("textbox", { name: "Desfase en minutos" });
  const save = screen.getByRole("button", { name: "Guardar desfase" });
  expect(save).toBeDisabled();
  // It is linked with this candidate: there is nothing to accept.
  expect(screen.getByText("Enlazado ahora")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Aceptar/ })).toBeNull();
  // The keypad of an iPhone has no minus.
  expect(shift).not.toHaveAttribute("inputmode");
  expect(shift).toHaveAccessibleDescription(/en negativo, antes/);
  await user.type(shift, "1441");
  expect(save).toBeDisabled();
  // What is typed is not lost by Escape.
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  expect(shift).toHaveValue("1441");
  // Nor by leaving the page.
  await expectLeavingConfirms(rendered);
  expect(shift).toHaveValue("1441");
  await user.clear(shift);
  await user.type(shift, "-60");
  await user.click(save);
  await waitFor(() => expect(decided).toHaveLength(1));
  await user.clear(shift);
  // Once the link was read again, nothing is another shift than its own.
  await waitFor(() => expect(save).toBeEnabled());
  await user.click(save);
  await waitFor(() => expect(decided).toHaveLength(2));
  const sentWith = (shiftMinutes: number | null) => ({
    body: { verdict: "ACCEPTED", guideId: 4, xmlId: "marea.azul", shiftMinutes },
    version: '"3"',
  });
  expect(decided).toEqual([sentWith(-60), sentWith(null)]);
  // The field is the one that had the focus.
  expect(shift).toBeInTheDocument();
});

test("a link that is asked about is confirmed with its shift", async () => {
  const link = { guideId: 4, xmlId: "marea.azul", shiftMinutes: 60 };
  server.use(
    http.get("/api/epg-matches/candidates", () =>
      HttpResponse.json({ version: 3, level: "REVIEW", candidates: [best], link }),
    ),
  );
  level = "REVIEW";
  const { user } = renderPage("/content/tv-channels/7/edit");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía" }));
  expect(await screen.findByText("Enlazado ahora")).toBeVisible();
  await user.click(await screen.findByRole("button", { name: "Aceptar «Marea Azul TV» para «Marea Azul»" }));
  await waitFor(() =>
    expect(decided).toEqual([
      {
        body: { verdict: "ACCEPTED", guideId: 4, xmlId: "marea.azul", shiftMinutes: 60 },
        version: '"3"',
      },
    ]),
  );
});

test("a shift that another session changed says what is stored, and what was typed stays", async () => {
  const link = { guideId: 4, xmlId: "marea.azul", shiftMinutes: null as number | null };
  const stored = { version: 3, link };
  server.use(
    http.get("/api/epg-matches/candidates", () =>
      HttpResponse.json({ level: "AUTO", candidates: [best], ...stored }),
    ),
    http.put("/api/tv-channels/7/guide-link", () => {
      stored.version = 4;
      stored.link = { ...stored.link, shiftMinutes: 60 };
      return problem(409, { code: "CONFLICT", message: "Alguien lo cambió." });
    }),
  );
  const { user } = renderPage("/content/tv-channels/7/edit");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía" }));
  const shift = await screen.findByRole("textbox", { name: "Desfase en minutos" });
  await user.type(shift, "30");
  await user.click(screen.getByRole("button", { name: "Guardar desfase" }));
  expect(await screen.findByText("Alguien lo cambió. Guardado ahora: 60.")).toBeVisible();
  expect(shift).toHaveValue("30");
});

test("a decision that came too late says why, and the candidates stay", async () => {
  server.use(
    http.put("/api/tv-channels/7/guide-link", () =>
      problem(412, { code: "VERSION_CONFLICT", message: "Alguien lo cambió." }),
    ),
  );
  const { user } = renderPage("/content/tv-channels/7/edit");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía" }));
  await user.click(await screen.findByRole("button", { name: "Aceptar «Marea Azul TV» para «Marea Azul»" }));
  expect(await screen.findByText("Alguien lo cambió.")).toBeVisible();
  screen.getByText("La decisión sobre «Marea Azul» no se guardó");
});

test("an entry in a preview shows its candidates, and one with a channel those of the channel", async () => {
  const entry = { ...newEntry, name: "Marea" };
  const known = { ...entry, id: 10, change: "CHANGED", name: "Cumbre", itemType: "tv-channels", itemId: 7 };
  const radio = { ...entry, id: 11, name: "Radio", radio: true };
  server.use(
    http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([entry, known, radio]))),
  );
  const { user } = renderPage("/content/playlists/1");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía de «Marea»" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Candidatos de guía de «Marea»" }));
  await dialog.findByText("Marea Azul TV");
  expect(dialog.queryByRole("button", { name: /^Aceptar/ })).toBeNull();
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Candidatos de guía de «Cumbre»" }));
  await screen.findByRole("button", { name: "Aceptar «Marea Azul TV» para «Cumbre»" });
  expect(sent).toEqual(["?run=5&entry=9", "?channel=7"]);
  expect(screen.queryByRole("button", { name: "Candidatos de guía de «Radio»" })).toBeNull();
});
