// Cancels a running operation, or undoes a finished one.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import {
  isUndoable,
  isUnfinished,
  type Operation,
  useCancelOperation,
  useUndoOperation,
} from "../../operations/queries";
import { confirm } from "../../ui/confirm";
import { CloseIcon } from "../../ui/icons";
import { UndoIcon } from "../../ui/lazyIcons";
import type { Action } from "../../ui/list/ActionButtons";
import { toast } from "../../ui/toast";
import { undoingOf, withUndone } from "./undoing";

/** `onUndo` gets the operation that undoes this one, once it has begun. */
export function useWaysBack(operation: Operation, onUndo: (id: number) => void): Action[] {
  const { t } = useTranslation();
  const client = useQueryClient();
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const { id } = operation;
  const failed = (problem: Error) => toast.failure(t("operations.page.notDone"), messageOf(problem));
  const changed = operation.counts.changed + operation.counts.created;
  const askToUndo = async () => {
    if (undo.isPending) return;
    const { text, isSafe } = undoingOf(operation, await withUndone(client, operation));
    const goesAhead = await confirm({
      title: t("operations.page.undoTitle"),
      consequence: t(`operations.page.${text}`, {
        count: changed,
        number: formatNumber(changed),
      }),
      verb: t("operations.undo"),
      isSafe,
    });
    if (goesAhead)
      undo.mutate(id, {
        onSuccess: (begun) => {
          onUndo(begun.id);
          toast.success(t("operations.page.undoBegun"));
        },
        onError: failed,
      });
  };
  const actions: Action[] = [];
  if (isUnfinished(operation))
    actions.push({
      label: t("operations.page.stopOne", { id }),
      verb: t("operations.stop"),
      Icon: CloseIcon,
      isBusy: cancel.isPending,
      onClick: () => !cancel.isPending && cancel.mutate(id, { onError: failed }),
    });
  if (isUndoable(operation))
    actions.push({
      label: t("operations.page.undoOne", { id }),
      verb: t("operations.undo"),
      Icon: UndoIcon,
      isBusy: undo.isPending,
      onClick: () => void askToUndo(),
    });
  return actions;
}
