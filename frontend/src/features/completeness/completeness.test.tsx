// What the catalogue lacks: every number opens its list.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const answer = [
  {
    kind: "movies",
    total: 1204,
    missing: [
      { part: "ENGLISH_SYNOPSIS", count: 1100 },
      { part: "TRAILER", count: 0 },
    ],
  },
  {
    kind: "tv-channels",
    total: 3,
    missing: [
      { part: "GUIDE", count: 2 },
      { part: "LOGO", count: 1 },
    ],
  },
];

beforeEach(() => server.use(http.get("/api/completeness/duplicates", () => HttpResponse.json([]))));

test("what is probably the same is counted beside it, and opens its list", async () => {
  server.use(
    http.get("/api/completeness", () => HttpResponse.json(answer)),
    http.get("/api/completeness/duplicates", () =>
      HttpResponse.json([
        { kind: "movies", reason: "IMDB_ID", count: 12 },
        { kind: "movies", reason: "ADDRESS", count: 0 },
        { kind: "radio-stations", reason: "ADDRESS", count: 3 },
      ]),
    ),
  );
  renderPage("/content/completeness");
  expect(await screen.findByText("Duplicados: mismo ID de IMDB")).toBeVisible();
  expect(screen.getByRole("link", { name: /^12 grupos/ })).toHaveAttribute(
    "href",
    "/content/duplicates?kind=movies&reason=IMDB_ID",
  );
  // Nothing is expected of stations, which have no card otherwise.
  expect(screen.getByText(/misma dirección/)).toBeVisible();
  expect(screen.getByRole("link", { name: /^3 grupos/ })).toHaveAttribute(
    "href",
    "/content/duplicates?kind=radio-stations&reason=ADDRESS",
  );
});

test("each number opens the list of what is missing, and what is complete says so", async () => {
  server.use(http.get("/api/completeness", () => HttpResponse.json(answer)));
  renderPage("/content/completeness");
  const english = await screen.findByRole("link", { name: /^Faltan 1.?100 sin sinopsis en inglés$/ });
  expect(english).toHaveAttribute("href", "/content/movies?missing=ENGLISH_SYNOPSIS");
  expect(screen.getByRole("link", { name: /^Películas 1.?204$/ })).toHaveAttribute("href", "/content/movies");
  const movies = screen.getByRole("heading", { name: /^Películas/ }).closest("li");
  expect(within(movies as HTMLElement).getByText("Completo")).toBeVisible();
  expect(screen.getByRole("link", { name: /^Faltan 2 sin guía de TV$/ })).toHaveAttribute(
    "href",
    "/content/tv-channels?missing=GUIDE",
  );
  expect(screen.getByRole("link", { name: /^Falta 1 sin logo$/ })).toBeVisible();
});

test("a failure can be tried again", async () => {
  server.use(http.get("/api/completeness", () => HttpResponse.json({}, { status: 500 }), { once: true }));
  server.use(http.get("/api/completeness", () => HttpResponse.json({}, { status: 500 })));
  renderPage("/content/completeness");
  await screen.findByText("No se pudo calcular lo que falta", undefined, { timeout: 10_000 });
});

test("a failure to count duplicates is shown beside the counts of missing fields, and can be retried", async () => {
  server.use(
    http.get("/api/completeness", () => HttpResponse.json(answer)),
    http.get("/api/completeness/duplicates", () => problem(400, { message: "Hoy no." }), { once: true }),
    http.get("/api/completeness/duplicates", () =>
      HttpResponse.json([{ kind: "movies", reason: "IMDB_ID", count: 12 }]),
    ),
  );
  const { user } = renderPage("/content/completeness");
  const failure = await screen.findByRole("alert", { name: "No se pudieron contar los duplicados" });
  expect(failure).toHaveTextContent("Hoy no.");
  expect(screen.getByRole("heading", { name: /^Películas/ })).toBeVisible();
  await user.click(within(failure).getByRole("button", { name: "Reintentar" }));
  await screen.findByRole("link", { name: /^12 grupos/ });
  expect(screen.queryByText("No se pudieron contar los duplicados")).toBeNull();
});

test("what episodes lack opens the list of the episodes of all shows", async () => {
  const episodes = { kind: "episodes", total: 800, missing: [{ part: "LINKS", count: 12 }] };
  server.use(http.get("/api/completeness", () => HttpResponse.json([episodes])));
  renderPage("/content/completeness");
  expect(await screen.findByRole("link", { name: /^Faltan 12 sin enlaces$/ })).toHaveAttribute(
    "href",
    "/content/episodes?missing=LINKS",
  );
  expect(screen.getByRole("link", { name: "Episodios 800" })).toHaveAttribute("href", "/content/episodes");
});
