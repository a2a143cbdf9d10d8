// Dialog of a change to reports: asks for the values, shows their effect and sends them. A change is a state with notes, an
// assignee, a priority or notes.
import { Button, Group, NativeSelect, Textarea } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { Priority as PriorityLabels } from "../../api/enums/Priority.gen";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue, useIsChanged } from "../../forms/useDraftForm";
import { optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { AssigneeField, unchosen, unchosenOption } from "./AssigneeField";
import type { PendingChange, Question } from "./actions";
import { conflictText, lastChange } from "./lastChange";
import { type Change, issueQueries, nameOf, saySent, type Target, useChange, useUndo } from "./queries";

type Priority = NonNullable<Change["priority"]>;

const longest = rules.ReportPatch.properties.notes.maxLength;

/** What each question is called in the texts, and which button is red. */
const keys = { RESUELTO: "resolve", RECHAZADO: "reject", CERRADO: "close", REPORTADO: "reopen" } as const;

function keyOf(question: Question) {
  return question.is === "status" ? keys[question.status] : question.is;
}

/** What can be entered beside notes; one question uses one of them. */
interface Values {
  /** Empty for none, undefined until it is chosen. */
  assignedTo: string | undefined;
  priority: Priority | undefined;
}

interface Notes {
  notes?: string | null;
}

/** Their length is shown while typing, and checked here. */
const rule = { type: "object", properties: { notes: { type: "string", nullable: true } } } as const;

/** What is there already, of one report; a group's reports may differ. */
function currentOf(target: Target): Values {
  if (target.is === "group") return { assignedTo: undefined, priority: undefined };
  const { assignedTo, priority } = target.report;
  return { assignedTo: assignedTo ?? "", priority };
}

function notesOf(target: Target): string {
  return target.is === "report" ? (target.report.notes ?? "") : "";
}

/** The notes are changed together with the state. */
function asksForNotes({ is }: Question): boolean {
  return is === "notes" || is === "status";
}

/** What is sent. */
function changeOf({ target, question }: PendingChange, notes: string, values: Values): Change {
  const written = notes.trim() || null;
  if (question.is === "assign") return { assignedTo: values.assignedTo || null };
  if (question.is === "priority") return { priority: values.priority };
  if (question.is === "notes") return { notes: written };
  // Empty notes on a group leave the notes of its reports as they are.
  const keepsNotes = target.is === "group" && written === null;
  return { status: question.status, ...(!keepsNotes && { notes: written }) };
}

function lengthOf(notes: string): number {
  return [...notes].length;
}

interface ChangeDialogProps {
  pending: PendingChange;
  onClose: () => void;
}

export default function ChangeDialog({ pending, onClose }: ChangeDialogProps) {
  const { target, question } = pending;
  const { t } = useTranslation();
  const { username } = useUser();
  const change = useChange();
  const undo = useUndo();
  const [values, setValues] = useState(() => currentOf(target));
  const [draft] = useState(() => new Draft<Notes>({ notes: notesOf(target) }, rule));
  const notes = useDraftValue<string | null>(draft, "notes") ?? "";
  // The report as it is known; after a conflict, the other user's version: the next click overwrites it.
  const [known, setKnown] = useState(target);
  const theirNotes = notesOf(known);
  const isOfNotes = asksForNotes(question);
  const areNotesTheirs = isOfNotes && ![textOf(draft.unchanged()), notes.trim()].includes(theirNotes.trim());
  const key = keyOf(question);
  const isTooLong = lengthOf(notes) > longest;
  // Reports of a group differ: nothing replaces what they have where nothing was typed or chosen.
  const isMissing =
    (target.is === "group" && question.is === "notes" && !notes.trim()) ||
    (question.is === "assign" && values.assignedTo === undefined) ||
    (question.is === "priority" && values.priority === undefined);
  const isConflict = change.isError && change.error.code === "VERSION_CONFLICT";
  const newest = useQuery({
    ...issueQueries.one(target.is === "report" ? target.report.id : 0),
    enabled: target.is === "report" && (isConflict || areNotesTheirs),
  });
  // What is there while it is read does not have the change that the conflict is about.
  const read = newest.isFetching ? undefined : newest.data;
  /** The report as it was when the change was sent. */
  const sent = change.variables?.target;
  const seen = (sent?.is === "report" && sent.report.updatedDate) || undefined;
  const conflict = isConflict && read ? conflictText(read, seen, username) : undefined;
  const lastOfNotes = areNotesTheirs ? lastChange(read?.history, theirNotes) : undefined;
  const shownNotes = theirNotes || "—";
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `${target.is === "report" ? `report ${target.report.id}` : `reports of ${target.group.id}`} ${key}`,
    labels: "issues",
    version: known.is === "report" ? known.report.version : undefined,
    updatedDate: known.is === "report" ? known.report.updatedDate : undefined,
    // Made from an older version: that is what it is saved over, so that later notes of others are shown first.
    onKeptVersion: (version, before, updatedDate = "") => {
      if (target.is !== "report") return;
      const former = textOf(before);
      setKnown({ is: "report", report: { ...target.report, version, notes: former, updatedDate } });
      draft.reset({ notes: former }, { notes: draft.toPayload().notes });
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending || isTooLong || isMissing) return;
    change.mutate(
      { target: known, change: changeOf(pending, notes, values) },
      {
        onError: ({ code, current: theirs }) => {
          if (code !== "VERSION_CONFLICT" || !theirs || target.is !== "report") return;
          const report = { ...target.report, ...(theirs as typeof target.report) };
          setKnown({ is: "report", report });
          // Notes not edited here keep the other user's text. The user may have typed since the change was sent.
          if (!draft.isChanged()) draft.reset({ notes: report.notes ?? "" });
        },
        onSuccess: (sent) => {
          saySent(sent, undo);
          abandon();
          onClose();
        },
      },
    );
  };
  const isTyped = useIsChanged(draft);
  const close = () =>
    void askAndClose(isTyped, () => {
      abandon();
      onClose();
    });

  return (
    <Dialog title={t(`issues.actions.${key}.title`)} onClose={close} isForm>
      {isTyped && <LeaveGuard onLeave={abandon} isKept />}
      <form onSubmit={submit} noValidate>
        {proposal}
        <Consequence of={pending} />
        <QuestionField
          pending={pending}
          values={values}
          notes={notes}
          onChange={(changed) => setValues({ ...values, ...changed })}
          onNotes={(next) => draft.set("notes", next)}
        />
        <FailureAlert title={t("issues.notChanged")} mt="md">
          {(change.isError || areNotesTheirs) && (
            <>
              {conflict ?? (change.isError && messageOf(change.error))}
              {areNotesTheirs && (
                <p className="issue-their-notes">
                  {lastOfNotes
                    ? t(lastOfNotes.username === username ? "issues.ownNotes" : "issues.theirNotesBy", {
                        ...lastOfNotes,
                        notes: shownNotes,
                      })
                    : t("issues.theirNotes", { notes: shownNotes })}
                </p>
              )}
            </>
          )}
        </FailureAlert>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" data-autofocus={question.is === "status" || undefined} onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button
            type="submit"
            color={key === "reject" ? "red" : undefined}
            disabled={isTooLong || isMissing}
            aria-disabled={change.isPending}
          >
            {key === "notes" ? t("issues.actions.notes.save") : t(`issues.actions.${key}.verb`)}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

function textOf({ notes }: { notes?: unknown } = {}): string {
  return typeof notes === "string" ? notes : "";
}

/** What the change will do, to one report or to all of a group. */
function Consequence({ of: { target, question } }: { of: PendingChange }) {
  const { t } = useTranslation();
  const key = keyOf(question);
  const name = nameOf(target);
  if (target.is === "report")
    return <p className="issue-consequence">{t(`issues.actions.${key}.will`, { name })}</p>;
  const count = target.group.reports;
  return (
    <p className="issue-consequence">
      {t(`issues.actions.${key}.all`, { count, number: formatNumber(count), name })}
    </p>
  );
}

interface QuestionFieldProps {
  pending: PendingChange;
  values: Values;
  notes: string;
  onChange: (changed: Partial<Values>) => void;
  onNotes: (notes: string) => void;
}

function QuestionField(props: QuestionFieldProps) {
  const { target, question } = props.pending;
  const { values, notes, onChange, onNotes } = props;
  const { t } = useTranslation();
  if (question.is === "assign")
    return (
      <AssigneeField
        target={target}
        value={values.assignedTo}
        onChange={(assignedTo) => onChange({ assignedTo })}
        isFirst
      />
    );
  if (question.is === "priority")
    return (
      <NativeSelect
        label={t("issues.fields.priority")}
        data={[...(values.priority ? [] : [unchosenOption()]), ...optionsOf(PriorityLabels)]}
        value={values.priority ?? unchosen}
        onChange={(event) => onChange({ priority: event.currentTarget.value as Priority })}
        data-autofocus
      />
    );
  return <NotesField isOptional={question.is === "status"} value={notes} onChange={onNotes} />;
}

interface NotesFieldProps {
  /** The notes accompany a change of status. */
  isOptional: boolean;
  value: string;
  onChange: (notes: string) => void;
}

function NotesField({ isOptional, value, onChange }: NotesFieldProps) {
  const { t } = useTranslation();
  const length = lengthOf(value);
  const isTooLong = length > longest;
  const counter = t("issues.counter", { length: formatNumber(length), max: formatNumber(longest) });
  return (
    <Textarea
      label={isOptional ? t("issues.notesOptional") : t("issues.fields.notes")}
      description={isTooLong ? undefined : counter}
      error={isTooLong && counter}
      inputWrapperOrder={["label", "input", "description", "error"]}
      autosize
      minRows={3}
      maxRows={10}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus={!isOptional || undefined}
    />
  );
}
