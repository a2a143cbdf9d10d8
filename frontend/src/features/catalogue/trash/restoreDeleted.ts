// Takes an item out of the trash from the notice of its deletion.
import type { QueryClient } from "@tanstack/react-query";
import type { Kind } from "../../../access/kinds";
import { messageOf } from "../../../api/problem";
import { restoreItem } from "../../../api/resources";
import { loadPageTexts, t } from "../../../i18n";
import { toast } from "../../../ui/toast";
import { forgetLists } from "../queries";

/** Takes back a deletion. What stands in the way is said; the trash has the item until it is solved. */
export async function restoreDeleted(
  client: QueryClient,
  kind: Kind,
  id: number,
  name: string,
): Promise<void> {
  await loadPageTexts("history");
  try {
    await restoreItem(kind, id, {});
    toast.success(t("history.restored", { name }));
  } catch (problem) {
    toast.failure(t("history.notRestored", { name }), messageOf(problem));
  } finally {
    await forgetLists(client, kind);
  }
}
