// Asks for what a change needs, says what it will do to what, and sends it: another state with notes, somebody to see
// to it, a priority, notes.
import { Alert, Button, Group, NativeSelect, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Priority } from "../../api/enums/Priority.gen";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import { toast } from "../../ui/toast";
import { AssigneeField } from "./AssigneeField";
import type { PendingChange, Question } from "./actions";
import { type Change, nameOf, type Target, useChange } from "./queries";

const longest = rules.ReportPatch.properties.notes.maxLength;

/** What each question is called in the texts, and which button is red. */
const keys = { RESUELTO: "resolve", RECHAZADO: "reject", CERRADO: "close", REPORTADO: "reopen" } as const;

function keyOf(question: Question) {
  return question.is === "status" ? keys[question.status] : question.is;
}

/** What is there already, of one report; a group's reports may differ. */
function currentOf(target: Target) {
  if (target.is === "group") return { notes: "", assignedTo: "", priority: target.group.priority };
  const { notes, assignedTo, priority } = target.report;
  return { notes: notes ?? "", assignedTo: assignedTo ?? "", priority };
}

export default function ChangeDialog({ pending, onClose }: { pending: PendingChange; onClose: () => void }) {
  const { target, question } = pending;
  const { t } = useTranslation();
  const change = useChange();
  const current = currentOf(target);
  const [notes, setNotes] = useState(current.notes);
  const [assignedTo, setAssignedTo] = useState<string>(current.assignedTo);
  const [priority, setPriority] = useState(current.priority);
  const key = keyOf(question);
  const asksForNotes = question.is === "status" || question.is === "notes";
  const length = [...notes].length;
  const isTooLong = length > longest;
  const counter = t("issues.counter", { length: formatNumber(length), max: formatNumber(longest) });
  const name = nameOf(target);
  const count = target.is === "group" ? target.group.reports : 1;
  const number = formatNumber(count);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending || isTooLong) return;
    change.mutate(
      { target, change: changeOf() },
      {
        onSuccess: (changed) => {
          toast.success(t("issues.changed", { count: changed, number: formatNumber(changed) }));
          onClose();
        },
      },
    );
  };
  const changeOf = (): Change => {
    const written = notes.trim() || null;
    if (question.is === "assign") return { assignedTo: assignedTo || null };
    if (question.is === "priority") return { priority };
    if (question.is === "notes") return { notes: written };
    // Of a group, what nobody typed takes nobody's notes away.
    const keepsNotes = target.is === "group" && written === null;
    return { status: question.status, ...(!keepsNotes && { notes: written }) };
  };

  const close = () => void askAndClose(notes.trim() !== current.notes.trim(), onClose);

  return (
    <Dialog title={t(`issues.actions.${key}.title`)} onClose={close} isForm>
      <form onSubmit={submit} noValidate>
        <p className="issue-consequence">
          {target.is === "report"
            ? t(`issues.actions.${key}.will`, { name })
            : t(`issues.actions.${key}.all`, { count, number, name })}
        </p>
        {question.is === "assign" && (
          <AssigneeField target={target} value={assignedTo} onChange={setAssignedTo} isFirst />
        )}
        {question.is === "priority" && (
          <NativeSelect
            label={t("issues.fields.priority")}
            data={optionsOf(Priority)}
            value={priority}
            onChange={(event) => setPriority(event.currentTarget.value as typeof priority)}
            data-autofocus
          />
        )}
        {asksForNotes && (
          <Textarea
            label={question.is === "notes" ? t("issues.fields.notes") : t("issues.notesOptional")}
            description={isTooLong ? undefined : counter}
            error={isTooLong && counter}
            inputWrapperOrder={["label", "input", "description", "error"]}
            autosize
            minRows={3}
            maxRows={10}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
            data-autofocus={question.is === "notes" || undefined}
          />
        )}
        <div aria-live="assertive">
          {change.isError && (
            <Alert color="red" icon={<AlertIcon />} title={t("issues.notChanged")} mt="md">
              {messageOf(change.error)}
            </Alert>
          )}
        </div>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" data-autofocus={question.is === "status" || undefined} onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button
            type="submit"
            color={key === "reject" ? "red" : undefined}
            disabled={isTooLong}
            aria-disabled={change.isPending}
          >
            {key === "notes" ? t("issues.actions.notes.save") : t(`issues.actions.${key}.verb`)}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
