import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { call } from "../api/client";
import { backend, problem } from "../testing/backend";
import { sampleUser } from "../testing/samples";
import { server } from "../testing/server";
import { onSessionEnd, SessionProvider, storedUserKey, useSession } from "./session";

function Probe() {
  const { state, signOut } = useSession();
  return (
    <>
      <output>{state.status === "out" ? `out: ${state.ending}` : state.status}</output>
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
const refreshes = () => backend.requests.filter((request) => request === "POST /api/auth/refresh").length;

test("starts loading, refreshes, and keeps what decides access and nothing more", async () => {
  open();
  expect(shown()).toBe("loading");
  await waitFor(() => expect(shown()).toBe("in"));
  const { username, roleCode, roleName, permissions } = sampleUser;
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

test("is refreshed every 23 hours while somebody is in, and not after", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  expect(refreshes()).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(82_799_999));
  expect(refreshes()).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(1));
  await waitFor(() => expect(refreshes()).toBe(2));
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  await waitFor(() => expect(refreshes()).toBe(3));

  await userEvent.click(screen.getByRole("button"));
  await waitFor(() => expect(shown()).toBe("out: signedOut"));
  await act(() => vi.advanceTimersByTimeAsync(82_800_000));
  expect(refreshes()).toBe(3);
});

test("a later refresh that meets a server away for a moment throws nobody out", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
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
});

test("a 401 on any call ends the session and clears what was kept", async () => {
  const ended = vi.fn();
  const stop = onSessionEnd(ended);
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  server.use(http.get("/api/movies", () => problem(401, { code: "NOT_AUTHENTICATED" })));
  await act(async () => {
    await expect(call("get", "/movies")).rejects.toThrow();
  });
  expect(shown()).toBe("out: expired");
  expect(localStorage.getItem(storedUserKey)).toBeNull();
  expect(ended).toHaveBeenCalledOnce();
  stop();
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
  await userEvent.click(screen.getByRole("button"));
  await waitFor(() => expect(shown()).toBe("out: signedOut"));
  expect(localStorage.getItem(storedUserKey)).toBeNull();
});

test("signing out in one tab signs out in the others", async () => {
  open();
  await waitFor(() => expect(shown()).toBe("in"));
  act(() => {
    window.dispatchEvent(new StorageEvent("storage", { key: storedUserKey, newValue: null }));
  });
  expect(shown()).toBe("out: signedOut");
});
