// What is done for all channels of the review: bulk acceptance, thresholds and comparison.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { matching, review, serveReview } from "../../testing/epgReview";
import { expectLeavingConfirms } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveReview);

test("many are accepted after their number was shown; a number that changed is said", async () => {
  const { user } = renderPage("/content/epg-review");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("Se enlazarán 3 canales con su mejor candidato.");
  await user.click(await dialog.findByRole("button", { name: "Enlazar 3 canales" }));
  await dialog.findByText("Ahora son 2.");
  expect(review.sent[0]?.body).toEqual({
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
  await waitFor(() => expect(review.sent).toHaveLength(1));
  expect(review.sent[0]?.body).toMatchObject({ filter: { reason: "NAME_EQUAL,COUNTRY_AGREES" } });
});

test("many begin with the filters of the page, and are counted by score and reason with links to the list", async () => {
  const { user, address } = renderPage("/content/epg-review?guide=1&reason=WORDS&search=azul");
  await user.click(await screen.findByRole("button", { name: "Aceptar varios" }));
  const dialog = within(await screen.findByRole("dialog"));
  const scores = within(await dialog.findByRole("list", { name: "Por puntuación" }));
  const query = new URLSearchParams(review.counted.at(-1));
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
  review.rows = review.rows.slice(1);
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
  await waitFor(() => expect(review.sent).toHaveLength(1));
  expect(review.sent[0]).toEqual({
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
        review.sent.push({ path: "", body: await request.json(), version: seen });
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
    expect(review.sent.map(({ body, version }) => [version, body])).toEqual([
      ['"1"', { auto: 86, review: 30, lead: 6, automatic: false }],
      ['"2"', { auto: 95, review: 30, lead: 6, automatic: false }],
    ]);
  },
);
