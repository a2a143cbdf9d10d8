import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { server } from "../testing/server";
import { call, callAhead } from "./client";

function counting() {
  let count = 0;
  server.use(http.get("/api/movies", () => HttpResponse.json({ count: ++count })));
  server.use(http.post("/api/auth/logout", () => new HttpResponse(null, { status: 204 })));
  return () => count;
}

const query = { _page: 0, search: undefined };

test("a call uses the prefetched response of the same call, once", async () => {
  const count = counting();
  callAhead("/movies", query);
  expect(await call("get", "/movies", { query })).toEqual({ count: 1 });
  expect(count()).toBe(1);
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
});

test("a call with another query does not use it", async () => {
  counting();
  callAhead("/movies", query);
  expect(await call("get", "/movies", { query: { _page: 1 } })).toEqual({ count: 2 });
});

test("a prefetched response of one session is not used in the next", async () => {
  const count = counting();
  callAhead("/movies", query);
  await call("post", "/auth/logout");
  await call("get", "/movies", { query });
  expect(count()).toBe(2);
});

test("a response prefetched before a change is not used after it", async () => {
  const count = counting();
  server.use(http.delete("/api/movies/1", () => new HttpResponse(null, { status: 204 })));
  callAhead("/movies", query);
  await call("delete", `/movies/${1 as number}`, { ifVersion: 1 });
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
  expect(count()).toBe(2);
});

test("a failure of a prefetch is thrown by the call that reads it", async () => {
  server.use(http.get("/api/movies", () => HttpResponse.error()));
  callAhead("/movies", query);
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
