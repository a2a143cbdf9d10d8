// Takes an item out of the trash from the notice of its deletion.
import { messageOf } from "../../../api/problem";
import { restoreItem } from "../../../api/resourceItems";
import type { Resource } from "../../../api/resources";
import { loadPageTexts, t } from "../../../i18n";
import { toast } from "../../../ui/toast";

/**
 * Takes back a deletion. What stands in the way is said; the trash has the item until it is solved. `forget` has the lists
 * read anew.
 */
export async function restoreDeleted(
  resource: Resource,
  id: number,
  name: string,
  forget: () => Promise<void>,
): Promise<void> {
  await loadPageTexts("history");
  try {
    // «Deshacer» brings back what was, whatever was added since.
    await restoreItem(resource, id, {}, true);
    toast.success(t("history.restored", { name }));
  } catch (problem) {
    toast.failure(t("history.notRestored", { name }), messageOf(problem));
  } finally {
    await forget();
  }
}
