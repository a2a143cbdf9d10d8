// Helpers of tests that leave a page with unsaved changes.
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import type { renderPage } from "./render";

/** Neither another page nor a reload is reached without a confirmation; the user stays. */
export async function expectLeavingConfirms(
  { user, router, address }: ReturnType<typeof renderPage>,
  { title = "¿Salir sin guardar?", stay = "Seguir editando", to = "/settings/sessions" } = {},
): Promise<void> {
  await waitFor(() =>
    expect(window.dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(false),
  );
  // The guard of the router is set one render after that of the browser.
  await act(async () => {});
  const here = address();
  await act(() => router.navigate(to));
  const question = within(await screen.findByRole("dialog", { name: title }));
  await user.click(question.getByRole("button", { name: stay }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: title })).toBeNull());
  expect(address()).toBe(here);
}

/** The page is lost as by a crash: without a word to it, and with what the browser has stored. */
export function losePage() {
  const kept = { ...localStorage };
  cleanup();
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
}
