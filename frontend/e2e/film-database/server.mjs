#!/usr/bin/env node
// A mock of the external film database, for development and browser tests.
//
//   node server.mjs [--port N] [--host ADDRESS]     port 0, the default, takes any free one
//
// It answers GET /titles/tt…, GET /titles/tt…/episodes?season=N and GET /search/?s=…&type=movie&y=… from
// samples/*.json, and fails in the ways the real service can: see `broken` below for the ids that do.
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const folder = join(dirname(fileURLToPath(import.meta.url)), "samples");

const json = (status, body, headers = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const html = (status, body) => ({ status, headers: { "content-type": "text/html; charset=utf-8" }, body });
/** The body of every refusal: a gRPC status number, a text, no details. */
const refusal = (status, code, message, headers) => json(status, { code, message, details: [] }, headers);

/** The ids that fail, and how. */
function broken(title) {
  return {
    tt0000429: () => refusal(429, 8, "rate limit exceeded", { "retry-after": "30" }),
    tt0000500: () => refusal(500, 13, "internal error"),
    tt0000503: () => html(503, "<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"),
    tt0000001: () => json(200, JSON.stringify(title("tt0133093")).slice(0, 120)),
    tt0000002: () => html(200, "<!doctype html><title>Just a moment…</title><p>Checking your browser.</p>"),
    tt0000003: () => json(200, {}),
    tt0000008: () => ({ ...json(200, { ...title("tt0133093"), id: "tt0000008" }), delayMs: 9_000 }),
  };
}

const episodesFile = /-episodes\.json$/;

function filesOf(isWanted) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && isWanted(name))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

export function readSamples() {
  return new Map(filesOf((name) => !episodesFile.test(name)).map((title) => [title.id, title]));
}

/** The episodes of a title, of all its seasons. */
export function readEpisodes() {
  return new Map(filesOf((name) => episodesFile.test(name)).map(({ title, episodes }) => [title, episodes]));
}

function search(titles, query) {
  const wanted = (query.get("s") ?? "").trim().toLowerCase();
  const type = query.get("type");
  const year = query.get("y");
  if (wanted.length < 2) return json(200, { Response: "False", Error: "Too many results." });

  const found = [...titles.values()].filter(
    (title) =>
      [title.primaryTitle, title.originalTitle].some((name) => name?.toLowerCase().includes(wanted)) &&
      (!type || title.type === type) &&
      (!year || String(title.startYear ?? "") === year),
  );
  if (found.length === 0) return json(200, { Response: "False", Error: "Movie not found!" });
  return json(200, {
    Search: found.map((title) => ({
      Title: title.primaryTitle,
      Year: title.startYear ? String(title.startYear) : "N/A",
      imdbID: title.id,
      Type: title.type,
      Poster: title.primaryImage?.url ?? "N/A",
    })),
    totalResults: String(found.length),
    Response: "True",
  });
}

/** The service answers with an empty object where it knows none. */
function episodesOf(episodes, query) {
  const season = query.get("season");
  const found = episodes.filter((episode) => season === null || episode.season === season);
  return json(200, found.length > 0 ? { episodes: found, totalCount: found.length } : {});
}

function answer(titles, episodes, method, url) {
  if (method !== "GET") return refusal(501, 12, "method not allowed");
  if (url.pathname === "/search" || url.pathname === "/search/") return search(titles, url.searchParams);

  const [, id, part] = /^\/titles\/([^/]+)(\/episodes)?$/.exec(url.pathname) ?? [];
  if (id === undefined) return refusal(404, 5, "not found");
  if (!/^tt\d+$/.test(id)) return refusal(400, 3, "invalid title id");
  const fault = broken((known) => titles.get(known))[id];
  if (fault) return fault();
  if (part && titles.has(id)) return episodesOf(episodes.get(id) ?? [], url.searchParams);
  return titles.has(id) ? json(200, titles.get(id)) : refusal(404, 5, "title not found");
}

/** Starts the mock film database; `calls` lists the requests it received, oldest first. */
export function start({ port = 0, host = "127.0.0.1" } = {}) {
  const titles = readSamples();
  const episodes = readEpisodes();
  const calls = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://mock");
    calls.push(`${request.method} ${url.pathname}${url.search}`);
    const { status, headers, body, delayMs = 0 } = answer(titles, episodes, request.method, url);
    const timer = setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
    response.on("close", () => clearTimeout(timer));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      resolve({
        url: `http://${host}:${server.address().port}`,
        calls,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "0" }, host: { type: "string", default: "127.0.0.1" } },
  });
  const { url } = await start({ port: Number(values.port), host: values.host });
  console.log(`Film database mock: ${url}`);
}
