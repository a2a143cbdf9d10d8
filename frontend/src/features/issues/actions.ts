// What can be done with a report, or with all open reports on one item: only what the server would let one do.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay, useUser } from "../../access/session";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { confirm } from "../../ui/confirm";
import { CheckIcon, DeleteIcon } from "../../ui/icons";
import { UndoIcon } from "../../ui/lazyIcons";
import type { Action } from "../../ui/list/ActionButtons";
import { toast } from "../../ui/toast";
import { ArchiveIcon, AssignIcon, BeginIcon, FlagIcon, NoteIcon, RejectIcon } from "./icons";
import {
  nameOf,
  refusalOf,
  type Status,
  saySent,
  type Target,
  useChange,
  useDeleteReport,
  useUndo,
} from "./queries";

/** What a dialog lets the user enter or confirm before the change is sent. */
export type Question =
  | { is: "status"; status: Exclude<Status, "EN_PROGRESO"> }
  | { is: "assign" }
  | { is: "priority" }
  | { is: "notes" };

export interface PendingChange {
  target: Target;
  question: Question;
}

/** In the order in which staff need them. */
const moves = [
  { status: "RESUELTO", key: "resolve", Icon: CheckIcon },
  { status: "EN_PROGRESO", key: "begin", Icon: BeginIcon },
  { status: "RECHAZADO", key: "reject", Icon: RejectIcon },
  { status: "CERRADO", key: "close", Icon: ArchiveIcon },
  { status: "REPORTADO", key: "reopen", Icon: UndoIcon },
] as const;

/** Where it may go from here. A group holds open reports, which may go anywhere but back to where they are. */
function transitionsOf(target: Target): readonly Status[] {
  if (target.is === "report") return target.report.transitions;
  const { reports, inProgress } = target.group;
  return moves
    .map(({ status }) => status)
    .filter((status) => status !== "EN_PROGRESO" || inProgress < reports)
    .filter((status) => status !== "REPORTADO" || inProgress > 0);
}

interface AfterDeletion {
  onDeleted?: (id: number) => void;
  /** Called only while the calling component is mounted. */
  onClose?: () => void;
}

export function useTargetActions(onAsk: (change: PendingChange) => void, then: AfterDeletion = {}) {
  const { t } = useTranslation();
  const may = useMay();
  const begin = useBegin();
  const remove = useRemove(then);

  return (target: Target): Action[] => {
    const name = nameOf(target);
    const transitions = transitionsOf(target);
    const actions: Action[] = moves
      .filter(({ status }) => may("ISSUES_UPDATE") && transitions.includes(status))
      .map(({ status, key, Icon }) => ({
        label: t(`issues.actions.${key}.of`, { name }),
        verb: t(`issues.actions.${key}.verb`),
        Icon,
        onClick: () =>
          status === "EN_PROGRESO" ? begin(target) : onAsk({ target, question: { is: "status", status } }),
      }));
    if (may("ISSUES_UPDATE"))
      for (const [is, Icon] of [
        ["assign", AssignIcon],
        ["priority", FlagIcon],
        ["notes", NoteIcon],
      ] as const)
        actions.push({
          label: t(`issues.actions.${is}.of`, { name }),
          verb: t(`issues.actions.${is}.verb`),
          Icon,
          onClick: () => onAsk({ target, question: { is } }),
        });
    if (target.is === "report" && may("ISSUES_DELETE"))
      actions.push({
        label: t("issues.actions.delete.of", { name }),
        verb: t("common.delete"),
        Icon: DeleteIcon,
        onClick: () => void remove(target.report),
      });
    return actions;
  };
}

/** The same for the open report: one action first, the others, and deleting apart. Who and how urgent are fields there. */
export function useReportActions(onAsk: (change: PendingChange) => void, onClose: () => void) {
  const { t } = useTranslation();
  const actionsOf = useTargetActions(onAsk, { onClose });
  return (report: Extract<Target, { is: "report" }>["report"]) => {
    const name = report.title;
    const isOf = (key: "assign" | "priority" | "delete") => t(`issues.actions.${key}.of`, { name });
    const all = actionsOf({ is: "report", report });
    const remove = all.find(({ label }) => label === isOf("delete"));
    const [first, ...others] = all.filter(
      (action) => action !== remove && ![isOf("assign"), isOf("priority")].includes(action.label),
    );
    return { first, others, remove };
  };
}

/** Taking something on needs no question: it is undone as easily. */
function useBegin() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { username } = useUser();
  const change = useChange({ untilRead: true });
  const undo = useUndo();
  return (target: Target) => {
    if (change.isPending) return;
    change.mutate(
      { target, change: { status: "EN_PROGRESO" } },
      {
        onSuccess: (sent) => saySent(sent, undo),
        onError: async (problem) =>
          toast.failure(
            t("issues.notChanged"),
            target.is === "report"
              ? await refusalOf(client, target.report, problem, username)
              : messageOf(problem),
          ),
      },
    );
  };
}

function useRemove({ onDeleted, onClose }: AfterDeletion) {
  const { t } = useTranslation();
  const remove = useDeleteReport(onDeleted);
  return async (report: Extract<Target, { is: "report" }>["report"]) => {
    const goesAhead = await confirm({
      title: t("issues.deleteTitle"),
      consequence: t("issues.willDelete", { name: report.title, id: formatNumber(report.id) }),
      verb: t("common.delete"),
    });
    if (goesAhead) remove.mutate(report, { onSuccess: onClose });
  };
}
