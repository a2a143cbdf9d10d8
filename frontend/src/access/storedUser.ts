// Whether a user was signed in here before: it decides what is shown until the session is loaded.
import { local } from "../storage";

export const storedUserKey = "cartelera.user";

export function hasStoredUser(): boolean {
  return local.get(storedUserKey) !== null;
}
