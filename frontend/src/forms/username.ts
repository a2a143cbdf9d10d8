// Whether a text may be somebody's user name: what cannot be one finds nothing, and the server refuses it as a filter.
import { rules } from "../api/rules.gen";
import { ruleAt, violationsOf } from "./rules";

/** The empty text is no filter. */
export function mayBeUsername(text: string): boolean {
  const rule = ruleAt(rules.NewUser, "username");
  return !rule || violationsOf(rule, text.trim()).length === 0;
}
