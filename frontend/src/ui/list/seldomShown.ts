// Parts of a list that are seldom shown are downloaded when they are, each with the texts of all of them.
import type { ComponentType } from "react";
import { loadTexts } from "../../i18n";
import { lazyPart, type PartOptions } from "../../loading/lazyPart";

// biome-ignore lint/suspicious/noExplicitAny: the props are whatever the part takes
export function seldomShown<Part extends ComponentType<any>>(
  load: () => Promise<{ default: Part }>,
  options?: PartOptions,
) {
  return lazyPart(async () => (await Promise.all([load(), loadTexts("empty")]))[0], options);
}
