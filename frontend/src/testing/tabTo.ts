// Reaching an element by keyboard alone.
import type { UserEvent } from "@testing-library/user-event";
import { expect } from "vitest";

/** Presses Tab until the element has the focus; fails where it is not reached. */
export async function tabTo(user: UserEvent, element: HTMLElement): Promise<void> {
  for (let pressed = 0; pressed < 60 && document.activeElement !== element; pressed += 1) await user.tab();
  expect(element).toHaveFocus();
}
