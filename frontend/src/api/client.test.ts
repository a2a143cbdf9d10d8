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

test("a call takes the response of the same call sent ahead, once", async () => {
  const count = counting();
  callAhead("/movies", query);
  expect(await call("get", "/movies", { query })).toEqual({ count: 1 });
  expect(count()).toBe(1);
  expect(await call("get", "/movies", { query })).toEqual({ count: 2 });
});

test("another query does not take it", async () => {
  counting();
  callAhead("/movies", query);
  expect(await call("get", "/movies", { query: { _page: 1 } })).toEqual({ count: 2 });
});

test("what was sent ahead in one session is not answered in the next", async () => {
  const count = counting();
  callAhead("/movies", query);
  await call("post", "/auth/logout");
  await call("get", "/movies", { query });
  expect(count()).toBe(2);
});

test("a failure of what was sent ahead is thrown where it is taken", async () => {
  server.use(http.get("/api/movies", () => HttpResponse.error()));
  callAhead("/movies", query);
  await expect(call("get", "/movies", { query })).rejects.toMatchObject({ isNetwork: true });
});
