// Texts that only some kinds need, by the names of their files in i18n: fetched beside the definition of the kind.
import type { Kind } from "../../access/kinds";

export const ownTexts: Partial<Record<Kind, readonly ("series" | "forms" | "live")[]>> = {
  "tv-shows": ["series", "forms"],
  "tv-channels": ["live"],
  "radio-stations": ["live"],
};
