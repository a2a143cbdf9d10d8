import { HttpResponse, http } from "msw";
import { afterEach, expect, test, vi } from "vitest";
import { chooseLanguage } from "../i18n";
import { local } from "../storage";
import { problem } from "../testing/backend";
import { server } from "../testing/server";
import { dropAhead, readAhead, sendAhead, sessionEventKey, takeBody } from "./ahead";
import { call } from "./client";

afterEach(dropAhead);

function counting() {
  let count = 0;
  server.use(http.get("/api/movies", () => HttpResponse.json({ count: ++count })));
  server.use(http.post("/api/auth/logout", () => new HttpResponse(null, { status: 204 })));
  return () => count;
}

const query = { _page: 0, search: undefined };
const address = "/movies?_page=0";

test("a call uses the response of the same call sent ahead, once", async () => {
  const count = counting();
  sendAhead("get", address, "es");
  expect(await call("get", "/movies", { query })).toEqual({ count: 1 });
  expect(count()).toBe(1);
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
});

test("a response that was read is there without a call, once", async () => {
  counting();
  sendAhead("get", address, "es");
  expect(takeBody(address, "es")).toBeUndefined();
  await readAhead();
  expect(takeBody(address, "es")).toEqual({ count: 1 });
  expect(takeBody(address, "es")).toBeUndefined();
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
});

test("a response that was read can still be that of a call", async () => {
  counting();
  sendAhead("get", address, "es");
  await readAhead();
  expect(await call("get", "/movies", { query })).toEqual({ count: 1 });
});

test("only responses with rows are read: nobody takes the body of the session's", async () => {
  counting();
  sendAhead("post", "/auth/refresh", "es");
  sendAhead("get", address, "es");
  await readAhead();
  expect(Object.values(globalThis.sentAhead ?? {}).map(([, , body]) => body)).toEqual([
    undefined,
    { count: 1 },
  ]);
});

test("a call with another query does not use it", async () => {
  counting();
  sendAhead("get", address, "es");
  expect(await call("get", "/movies", { query: { _page: 1 } })).toEqual({ count: 2 });
});

test("a call is sent ahead in the language of the user, and used in that language", async () => {
  const languages: (string | null)[] = [];
  server.use(
    http.get("/api/movies", ({ request }) => {
      languages.push(request.headers.get("accept-language"));
      return HttpResponse.json({});
    }),
  );
  sendAhead("get", address, "es");
  await chooseLanguage("en");
  await call("get", "/movies", { query });
  expect(languages).toEqual(["es", "en"]);
});

test("a response of one session is not used in the next", async () => {
  const count = counting();
  sendAhead("get", address, "es");
  await call("post", "/auth/logout");
  await call("get", "/movies", { query });
  expect(count()).toBe(2);
});

test("a response is not used after a sign-in in another tab", async () => {
  const count = counting();
  sendAhead("get", address, "es");
  local.write(sessionEventKey, { username: "eva", time: 1 });
  await call("get", "/movies", { query });
  expect(count()).toBe(2);
});

test("a response from before a change is not used after it", async () => {
  const count = counting();
  server.use(http.delete("/api/movies/1", () => new HttpResponse(null, { status: 204 })));
  sendAhead("get", address, "es");
  await call("delete", `/movies/${1 as number}`, { ifVersion: 1 });
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
  expect(count()).toBe(2);
});

test("a response older than 30 seconds is not used", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const count = counting();
  sendAhead("get", address, "es");
  vi.setSystemTime(Date.now() + 30_000);
  await call("get", "/movies", { query });
  expect(count()).toBe(2);
});

test.each([
  ["failed", () => HttpResponse.error()],
  ["was refused", () => problem(401, {})],
  ["was answered by a proxy", () => new HttpResponse("", { status: 502 })],
])("a call that %s ahead is sent as any other", async (_how, answer) => {
  counting();
  server.use(http.get("/api/movies", answer, { once: true }));
  sendAhead("get", address, "es");
  expect(await call("get", "/movies", { query })).toEqual({ count: 1 });
});

test("a call that fails ahead and again throws its own failure", async () => {
  server.use(http.get("/api/movies", () => HttpResponse.error()));
  sendAhead("get", address, "es");
  await expect(call("get", "/movies", { query })).rejects.toMatchObject({ isNetwork: true });
});

test("calls are checked against the schema, by the compiler", () => {
  // Never called: the compiler checks each expected error.
  const calls = async () => {
    const name: string = (await call("get", `/users/${"ana" as string}`)).username;
    const titles: string[] = (
      await call("get", "/movies", { query: { _page: 0, genre: ["DRAMA"] } })
    ).content.map((movie) => movie.title);
    // @ts-expect-error: there is no such path
    await call("get", "/films");
    // @ts-expect-error: sessions of a user are not posted
    await call("post", `/users/${name}/sessions`);
    // @ts-expect-error: a string is not known to be a path
    await call("get", name);
    // @ts-expect-error: no such query parameter
    await call("get", "/lookup/search", { query: { titel: "Matrix" } });
    // @ts-expect-error: no such genre
    await call("get", "/movies", { query: { genre: "CUMBIA" } });
    // @ts-expect-error: the body is missing
    await call("post", "/auth/login");
    // @ts-expect-error: the body lacks the password
    await call("post", "/auth/login", { body: { username: name } });
    // @ts-expect-error: the response has no such field
    (await call("get", "/auth/info")).username;
    return titles;
  };
  expect(calls).toBeTypeOf("function");
});
