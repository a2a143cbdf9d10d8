// Takes an item out of the trash from the notice of its deletion.
import { messageOf, Problem } from "../../../api/problem";
import { restoreItem } from "../../../api/resourceItems";
import type { Resource } from "../../../api/resources";
import { loadFormTexts, loadSeriesTexts, loadTexts, t } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { toast } from "../../../ui/toast";
import type { RecordedKind } from "../history/labels";

const RestoreDialog = lazyPart(
  async () => {
    const dialog = import("./RestoreDialog");
    const [{ RestoreDialog: Part }] = await Promise.all([dialog, loadFormTexts(), loadSeriesTexts()]);
    return { default: Part };
  },
  { isDialog: true },
);

/** Whether there is a conflict: another item has its natural key, or its reference is deleted. */
const isQuestion = (problem: unknown): problem is Problem =>
  problem instanceof Problem && (problem.status === 409 || problem.violations.length > 0);

/**
 * Undoes a deletion. Conflicts open the dialog of the trash; the trash has the item until they are resolved.
 * `forget` reloads the lists. Returns whether it was restored without a dialog.
 */
export async function restoreDeleted(
  resource: Resource,
  id: number,
  name: string,
  forget: () => Promise<void>,
): Promise<boolean> {
  await loadTexts("history");
  try {
    await restoreItem(resource, id, {}, false);
    toast.success(t("history.restored", { name }));
    return true;
  } catch (problem) {
    if (isQuestion(problem)) {
      // Imported on demand, so that lists do not depend on it.
      const { openFromToast } = await import("../../../ui/Notifications");
      openFromToast((close) => (
        <RestoreDialog
          key={`${resource}-${id}`}
          kind={resource as RecordedKind}
          id={id}
          name={name}
          problem={problem}
          onClose={close}
        />
      ));
    } else toast.failure(t("history.notRestored", { name }), messageOf(problem));
    return false;
  } finally {
    await forget();
  }
}
