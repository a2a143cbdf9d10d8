// People and their credits, made through the API: what a test about dashboards, credits or passwords starts from.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { create, url } from "./support";

export const password = "Cartelera-2026";

export interface NewPerson {
  username: string;
  fullName: string;
  roleCode: "app" | "agent" | "contentManager" | "admin";
}

type Credits = "add" | "deduct" | "add-for-sale" | "deduct-for-sale";

/** Whoever is signed in on this page registers somebody. */
export async function register(page: Page, person: NewPerson) {
  await create(page, "users", {
    ...person,
    email: `${person.username}@example.com`,
    phoneNumber: "+34 600 123 456",
    password,
  });
}

/** Moves credits, and answers the target's movement. */
export function move(
  page: Page,
  operation: Credits,
  targetUsername: string,
  amount: number,
  reason?: string,
) {
  return create(page, `credits/${operation}`, { targetUsername, amount, reason });
}

/** Signs somebody in on this page, without going through the form. */
export async function enter(page: Page, username: string, as = password) {
  const answer = await page.request.post("/api/auth/login", {
    headers: { origin: url },
    data: { username, password: as },
    // The server may have closed the connection as idle at that moment.
    maxRetries: 2,
  });
  expect(answer.status(), await answer.text()).toBe(200);
}
