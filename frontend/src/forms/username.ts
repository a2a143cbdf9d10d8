// Whether a text may be a user name: others match no user, and the server refuses them as a filter.
import { rules } from "../api/rules.gen";
import { ruleAt, violationsOf } from "./rules";

/** The empty text is no filter. */
export function mayBeUsername(text: string): boolean {
  const rule = ruleAt(rules.NewUser, "username");
  return !rule || violationsOf(rule, text.trim()).length === 0;
}
