import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { afterEach, expect, test, vi } from "vitest";
import { dropAhead, sendAhead, sessionEventKey } from "../api/ahead";
import { call } from "../api/client";
import { backend, problem, sent } from "../testing/backend";
import { sampleCurrentUser } from "../testing/samples";
import { server } from "../testing/server";
import { onSessionEnd, SessionProvider, useSession } from "./session";
import { storedUserKey } from "./storedUser";

function Probe() {
  const { state, signIn, signOut, cancelSignIn } = useSession();
  const isExpired = state.status === "in" && state.isExpired;
  return (
    <>
      <output>
        {state.status === "out" ? `out: ${state.ending}` : isExpired ? "expired" : state.status}
      </output>
      <button type="button" onClick={() => void signIn("ana", "secreta")}>
        return
      </button>
      <button type="button" onClick={cancelSignIn}>
        cancel sign-in
      </button>
      <button type="button" onClick={() => void signOut()}>
        leave
      </button>
    </>
  );
}

const open = () =>
  render(
    <SessionProvider>
      <Probe />
    </SessionProvider>,
  );
const shown = () => screen.getByRole("status").textContent;
const press = (name: string) => screen.getByRole("button", { name });
/** What another tab writes. */
const inAnotherTab = (username?: string) =>
  act(async () => {
    const newValue = JSON.stringify({ username, time: 1 });
    window.dispatchEvent(new StorageEvent("storage", { key: sessionEventKey, newValue }));
  });
const refreshes = () => backend.requests.filter((request) => request === "POST /api/auth/refresh").length;

afterEach(dropAhead);

test("starts loading, refreshes, and keeps what decides access and nothing more", async () => {
  open();
  expect(shown()).toBe("loading");
  await waitFor(() => expect(shown()).toBe("in"));
  const { username, roleCode, roleName, permissions } = sampleCurrentUser;
  expect(JSON.parse(localStorage.getItem(storedUserKey) ?? "")).toEqual({
    username,
    roleCode,
    roleName,
    permissions,
  });
});

test("a start without a session clears the stored copy and says that it expired", async () => {
  backend.user = null;
  localStorage.setItem(storedUserKey, "{}");
  open();
  await waitFor(() => expect(shown()).toBe("out: expired"));
  expect(localStorage.getItem(storedUserKey)).toBeNull();
});

test("a first visit is no expired session", async () => {
  backend.user = null;
  open();
  await waitFor(() => expect(shown()).toBe("out: never"));
});

test("a start that reaches no server clears the stored copy too", async () => {
  localStorage.setItem(storedUserKey, "{}");
  server.use(http.post("/api/auth/refresh", () => HttpResponse.error()));
  open();
  await waitFor(() => expect(shown()).toBe("out: never"));
  expect(localStorage.getItem(storedUserKey)).toBeNull();
});

test("a start uses the refresh and the rows that the document has requested", async () => {
  sendAhead("post", "/auth/refresh", "es");
  sendAhead("get", "/movies?_page=0", "es");
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  await call("get", "/movies", { query: { _page: 0 } });
  expect(refreshes()).toBe(1);
  expect(sent("GET /api/movies")).toHaveLength(1);
});

test("a start sends the refresh again where that of the document reached no server", async () => {
  localStorage.setItem(storedUserKey, "{}");
  server.use(http.post("/api/auth/refresh", () => HttpResponse.error(), { once: true }));
  sendAhead("post", "/auth/refresh", "es");
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  expect(refreshes()).toBe(1);
});

test("a start for which the document was refused says that the session expired", async () => {
  backend.user = null;
  localStorage.setItem(storedUserKey, "{}");
  sendAhead("post", "/auth/refresh", "es");
  open();
  await waitFor(() => expect(shown()).toBe("out: expired"));
});

test("a start is that of the user who signed in in another tab since the document's request", async () => {
  sendAhead("post", "/auth/refresh", "es");
  await waitFor(() => expect(refreshes()).toBe(1));
  backend.user = { ...sampleCurrentUser, username: "eva" };
  localStorage.setItem(sessionEventKey, JSON.stringify({ username: "eva", time: 1 }));
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  expect(localStorage.getItem(storedUserKey)).toContain('"eva"');
});

test("is refreshed every 23 hours while a user is signed in, and not after", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  expect(refreshes()).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(82_799_999));
  expect(refreshes()).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(1));
  await waitFor(() => expect(refreshes()).toBe(2));
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  await waitFor(() => expect(refreshes()).toBe(3));

  await userEvent.click(press("leave"));
  await waitFor(() => expect(shown()).toBe("out: signedOut"));
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  expect(refreshes()).toBe(3);
});

test("a refresh that fails with a connection error does not sign out, and is repeated", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  let requested = 0;
  server.use(
    http.post("/api/auth/refresh", () => {
      requested += 1;
      return problem(503, { code: "UNAVAILABLE" });
    }),
  );
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  await waitFor(() => expect(requested).toBe(1));
  expect(shown()).toBe("in");
  server.resetHandlers();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await waitFor(() => expect(refreshes()).toBe(2));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(refreshes()).toBe(2);
});

test("a machine that slept for longer refreshes its session as soon as it is awake", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  vi.setSystemTime(Date.now() + 82_800_000);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await waitFor(() => expect(refreshes()).toBe(2));
});

/** A session that the server has ended: calls wait for the sign-in. */
async function expire() {
  server.use(
    http.get("/api/movies", () => problem(401, { code: "NOT_AUTHENTICATED" })),
    http.post("/api/auth/refresh", () => problem(401, { code: "NOT_AUTHENTICATED" })),
  );
  const waiting = call("get", "/movies");
  waiting.catch(() => {});
  await waitFor(() => expect(shown()).toBe("expired"));
  // In an object: a promise that is returned would be awaited.
  return { waiting };
}

test("a call that is answered 401 waits for the same user, and is then sent again", async () => {
  const ended = vi.fn();
  const stop = onSessionEnd(ended);
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const { waiting } = await expire();
  expect(localStorage.getItem(storedUserKey)).not.toBeNull();
  server.resetHandlers();
  await userEvent.click(press("return"));
  await expect(waiting).resolves.toMatchObject({ totalElements: expect.any(Number) });
  expect(shown()).toBe("in");
  expect(ended).not.toHaveBeenCalled();
  stop();
});

test("calls that were sent under the former id of a session are sent again under its new one", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const seen = new Set<string>();
  const onceRefused = ({ request }: { request: Request }) => {
    if (seen.has(request.url)) return undefined;
    seen.add(request.url);
    return problem(401, { code: "NOT_AUTHENTICATED" });
  };
  server.use(http.get("/api/movies", onceRefused), http.get("/api/categories", onceRefused));
  const calls = Promise.all([call("get", "/movies"), call("get", "/categories")]);
  await expect(calls).resolves.toHaveLength(2);
  expect(shown()).toBe("in");
  expect(refreshes()).toBe(2);
});

test("a call that is refused again after the session was read asks to sign in", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  let requested = 0;
  server.use(
    http.get("/api/movies", () => {
      requested += 1;
      return problem(401, { code: "NOT_AUTHENTICATED" });
    }),
  );
  call("get", "/movies").catch(() => {});
  await waitFor(() => expect(shown()).toBe("expired"));
  expect(requested).toBe(2);
  expect(refreshes()).toBe(2);
});

test("where the session cannot be read after a 401, the panel asks to sign in", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  server.use(
    http.get("/api/movies", () => problem(401, { code: "NOT_AUTHENTICATED" })),
    http.post("/api/auth/refresh", () => HttpResponse.error()),
  );
  call("get", "/movies").catch(() => {});
  await waitFor(() => expect(shown()).toBe("expired"));
});

test("a call that was answered 401 is not sent again as another user", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const requested: string[] = [];
  server.use(
    http.get("/api/movies", () => {
      requested.push("movies");
      return problem(401, { code: "NOT_AUTHENTICATED" });
    }),
  );
  backend.user = { ...sampleCurrentUser, username: "eva" };
  await expect(call("get", "/movies")).rejects.toMatchObject({ status: 401 });
  expect(shown()).toBe("in");
  expect(localStorage.getItem(storedUserKey)).toContain('"eva"');
  expect(requested).toHaveLength(1);
});

test("a 401 of a background request does not open the sign-in", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  server.use(http.get("/api/activity", () => problem(401, { code: "NOT_AUTHENTICATED" })));
  await expect(call("get", "/activity")).rejects.toMatchObject({ status: 401 });
  expect(shown()).toBe("in");
});

test("a call that was sent before the sign-in and answered 401 after it does not ask again", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let requested = 0;
  server.use(
    http.get("/api/categories", async () => {
      requested += 1;
      if (requested > 1) return undefined;
      await late;
      return problem(401, { code: "NOT_AUTHENTICATED" });
    }),
  );
  const slow = call("get", "/categories");
  await waitFor(() => expect(requested).toBe(1));
  const { waiting } = await expire();
  server.resetHandlers();
  await userEvent.click(press("return"));
  await waitFor(() => expect(shown()).toBe("in"));
  answer();
  await expect(slow).resolves.toBeDefined();
  await expect(waiting).resolves.toBeDefined();
  expect(shown()).toBe("in");
});

test("another user in an expired session gets nothing of the first one", async () => {
  const ended = vi.fn();
  const stop = onSessionEnd(ended);
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const { waiting } = await expire();
  server.use(
    http.post("/api/auth/login", () =>
      Response.json({
        success: true,
        message: "",
        user: { ...sampleCurrentUser, username: "eva" },
        errorCode: null,
      }),
    ),
  );
  const sent = backend.requests.filter((request) => request.startsWith("GET /api/movies")).length;
  await userEvent.click(press("return"));
  await expect(waiting).rejects.toMatchObject({ status: 401 });
  expect(ended).toHaveBeenCalledExactlyOnceWith("expired");
  expect(shown()).toBe("in");
  expect(backend.requests.filter((request) => request.startsWith("GET /api/movies"))).toHaveLength(sent);
  stop();
});

test("who gives up an expired session is out", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const { waiting } = await expire();
  await userEvent.click(press("cancel sign-in"));
  await expect(waiting).rejects.toMatchObject({ status: 401 });
  expect(shown()).toBe("out: expired");
  expect(localStorage.getItem(storedUserKey)).toBeNull();
});

test("a later refresh that is refused asks to sign in again", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  backend.user = null;
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  await waitFor(() => expect(shown()).toBe("expired"));
});

test.each([
  ["fails", () => problem(500, {})],
  ["does not know the session", () => problem(401, {})],
  ["cannot be reached", () => HttpResponse.error()],
])("signing out clears everything even when the server %s", async (_name, answer) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  server.use(http.post("/api/auth/logout", answer));
  await userEvent.click(press("leave"));
  await waitFor(() => expect(shown()).toBe("out: signedOut"));
  expect(localStorage.getItem(storedUserKey)).toBeNull();
});

test("signing out in one tab signs out in the others", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  await inAnotherTab();
  expect(shown()).toBe("out: signedOut");
});

test("a tab that finds its session expired at the start leaves the others as they are", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  act(() => {
    window.dispatchEvent(new StorageEvent("storage", { key: storedUserKey, newValue: null }));
  });
  expect(shown()).toBe("in");
});

test("signing in again in one tab ends the wait in the others", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  const { waiting } = await expire();
  server.resetHandlers();
  await inAnotherTab("ana");
  await expect(waiting).resolves.toBeDefined();
  expect(shown()).toBe("in");
});

test("another user who signs in in one tab is the user of all of them", async () => {
  const ended = vi.fn();
  const stop = onSessionEnd(ended);
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  backend.user = { ...sampleCurrentUser, username: "eva" };
  await inAnotherTab("eva");
  await waitFor(() => expect(ended).toHaveBeenCalledExactlyOnceWith("expired"));
  expect(localStorage.getItem(storedUserKey)).toContain('"eva"');
  stop();
});

test("a tab that cannot follow another user covers the page of the first one, and tries again", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const ended = vi.fn();
  const stop = onSessionEnd(ended);
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  server.use(http.post("/api/auth/refresh", () => problem(503, { code: "UNAVAILABLE" })));
  backend.user = { ...sampleCurrentUser, username: "eva" };
  await inAnotherTab("eva");
  await waitFor(() => expect(shown()).toBe("expired"));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(shown()).toBe("expired");
  expect(ended).not.toHaveBeenCalled();
  server.resetHandlers();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await waitFor(() => expect(shown()).toBe("in"));
  expect(ended).toHaveBeenCalledExactlyOnceWith("expired");
  expect(localStorage.getItem(storedUserKey)).toContain('"eva"');
  stop();
});
