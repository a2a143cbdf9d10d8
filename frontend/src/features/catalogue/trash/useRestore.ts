// Takes items out of the trash.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { restoreItem } from "../../../api/resourceItems";
import { t } from "../../../i18n";
import { shownBeside } from "../../../operations/changedLists";
import { paths } from "../../../routing/paths";
import { toast } from "../../../ui/toast";
import type { RecordedKind } from "../history/labels";

interface Restore {
  kind: RecordedKind;
  id: number;
  name: string;
  /** Fields that get another value than they had. */
  changes: Record<string, unknown>;
  /** Whether it may have the natural key of another item. */
  duplicate?: boolean;
}

export function useRestore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, id, changes, duplicate = false }: Restore) =>
      restoreItem(kind, id, changes, duplicate),
    onSuccess: (_restored, { kind, id, name }) => {
      // The forms of seasons and episodes are on the page of their show.
      const hasForm = kind !== "seasons" && kind !== "episodes";
      const open = { label: t("common.open"), to: paths.editContent(kind, id) };
      toast.success(t("history.restored", { name }), undefined, hasForm ? open : undefined);
    },
    // Also those of other kinds: a show brings its episodes back.
    onSettled: (_restored, _problem, { kind }) =>
      Promise.all(
        [["contents"], ["series"], ...shownBeside(kind)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
