// Users and their credits, made through the API: what a test about dashboards, credits or passwords starts from.
import { admin, type Client, create } from "./support";

export const { password } = admin;

export interface NewUser {
  username: string;
  fullName: string;
  roleCode: "app" | "agent" | "contentManager" | "admin";
}

type Credits = "add" | "deduct" | "add-for-sale" | "deduct-for-sale";

/** Registers a user as the user of this client. */
export async function register(client: Client, user: NewUser) {
  await create(client, "users", {
    ...user,
    email: `${user.username}@example.com`,
    phoneNumber: "+34 600 123 456",
    password,
  });
}

/** Moves credits, and answers the target's movement. */
export function move(
  client: Client,
  operation: Credits,
  targetUsername: string,
  amount: number,
  reason?: string,
) {
  return create(client, `credits/${operation}`, { targetUsername, amount, reason });
}
