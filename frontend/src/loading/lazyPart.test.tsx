import { fireEvent, render, screen } from "@testing-library/react";
import { Suspense, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lazyPart } from "./lazyPart";
import { connection } from "./release";

// A worker of vitest shares modules between files, and "./reload" may be loaded already: it can't be mocked.
const reload = vi.fn();
const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200 });
  vi.stubGlobal("fetch", fetched);
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  connection.isLost = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

async function showFailed(load: () => Promise<{ default: () => React.ReactNode }>) {
  const Part = lazyPart(load, { reload });
  render(
    <Suspense fallback="…">
      <Part />
    </Suspense>,
  );
  return screen.findByRole("button", { name: "Reintentar" }, { timeout: 10_000 });
}

test("a part that loads at a later attempt is shown without a reload", async () => {
  let isBroken = true;
  const retry = await showFailed(() =>
    isBroken ? Promise.reject(new TypeError("network")) : Promise.resolve({ default: () => "the part" }),
  );
  isBroken = false;
  fireEvent.click(retry);
  await screen.findByText("the part");
  expect(reload).not.toHaveBeenCalled();
});

test("a part loads once the connection is back", async () => {
  let isOnline = false;
  await showFailed(() =>
    isOnline ? Promise.resolve({ default: () => "the part" }) : Promise.reject(new TypeError("network")),
  );
  isOnline = true;
  fireEvent(window, new Event("online"));
  await screen.findByText("the part");
  expect(reload).not.toHaveBeenCalled();
});

test("a part is not requested while the server is known to be away, and loads by itself once it is back", async () => {
  fetched.mockRejectedValue(new TypeError("network"));
  connection.isLost = true;
  // A browser would remember a module that failed.
  const load = vi.fn(() => Promise.resolve({ default: () => "the part" }));
  await showFailed(load);
  expect(load).not.toHaveBeenCalled();
  fetched.mockResolvedValue(new Response("<html></html>"));
  fireEvent(window, new Event("online"));
  await screen.findByText("the part");
  expect(load).toHaveBeenCalledOnce();
  expect(reload).not.toHaveBeenCalled();
});

test("a server that is back before its events are is enough for a retry", async () => {
  fetched.mockRejectedValue(new TypeError("network"));
  connection.isLost = true;
  const retry = await showFailed(() => Promise.resolve({ default: () => "the part" }));
  fetched.mockResolvedValue(new Response("<html></html>"));
  fireEvent.click(retry);
  await screen.findByText("the part");
  expect(reload).not.toHaveBeenCalled();
});

test("a part that was not requested, as the server was away, reloads nothing", async () => {
  fetched.mockRejectedValue(new TypeError("network"));
  connection.isLost = true;
  const retry = await showFailed(() => Promise.resolve({ default: () => "the part" }));
  await vi.waitFor(() => expect(retry).toHaveAttribute("aria-disabled", "false"));
  // It is back between the two questions.
  fetched.mockRejectedValueOnce(new TypeError("network")).mockResolvedValue(new Response("<html></html>"));
  fireEvent.click(retry);
  await vi.waitFor(() => expect(retry).toHaveAttribute("aria-disabled", "true"));
  await vi.waitFor(() => expect(retry).toHaveAttribute("aria-disabled", "false"));
  // The next attempt loads it.
  fireEvent.click(retry);
  await screen.findByText("the part");
  expect(reload).not.toHaveBeenCalled();
});

test("a hint that does not load is left out", async () => {
  const load = vi.fn(() => Promise.reject(new TypeError("network")));
  const Hint = lazyPart(load, { isHint: true });
  const { container } = render(
    <Suspense fallback="…">
      <Hint />
    </Suspense>,
  );
  await vi.waitFor(() => expect(container).toBeEmptyDOMElement(), { timeout: 10_000 });
  expect(load).toHaveBeenCalled();
});

test("a part that fails again while the server answers reloads the panel", async () => {
  fetched.mockResolvedValue(new Response("<html></html>"));
  fireEvent.click(await showFailed(() => Promise.reject(new TypeError("remembered"))));
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
});

test("without the server nothing is reloaded", async () => {
  fetched.mockRejectedValue(new TypeError("network"));
  const retry = await showFailed(() => Promise.reject(new TypeError("network")));
  fireEvent.click(retry);
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce());
  await vi.waitFor(() => expect(retry).toHaveAttribute("aria-disabled", "false"));
  expect(reload).not.toHaveBeenCalled();
});

test.each([
  ["goes", false],
  ["stays, closed", true],
])("a dialog whose message is closed, and that %s, loads when it is shown again", async (_, stays) => {
  let isBroken = true;
  const Part = lazyPart(
    () =>
      isBroken
        ? Promise.reject(new TypeError("network"))
        : Promise.resolve({ default: (_: { isOpen: boolean; onClose: () => void }) => "the part" }),
    { isDialog: true, reload },
  );
  function Opener() {
    const [isOpen, setOpen] = useState(true);
    return (
      <Suspense fallback="…">
        {(isOpen || stays) && <Part isOpen={isOpen} onClose={() => setOpen(false)} />}
        {!isOpen && (
          <button type="button" onClick={() => setOpen(true)}>
            open
          </button>
        )}
      </Suspense>
    );
  }
  render(<Opener />);
  fireEvent.click(await screen.findByRole("button", { name: "Cerrar" }, { timeout: 10_000 }));
  isBroken = false;
  fireEvent.click(screen.getByRole("button", { name: "open" }));
  await screen.findByText("the part");
});

test("a part that was loaded before it is shown is there at once", async () => {
  const Part = lazyPart(() => Promise.resolve({ default: () => "the part" }));
  await Part.preload();
  const fallback = vi.fn(() => "…");
  const Fallback = () => fallback();
  render(
    <Suspense fallback={<Fallback />}>
      <Part />
    </Suspense>,
  );
  expect(screen.getByText("the part")).toBeVisible();
  expect(fallback).not.toHaveBeenCalled();
});
