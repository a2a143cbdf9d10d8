// Whether somebody was signed in here before: what is shown until the session is known depends on it.
import { local } from "../storage";

export const storedUserKey = "cartelera.user";

export function hasStoredUser(): boolean {
  return local.get(storedUserKey) !== null;
}
