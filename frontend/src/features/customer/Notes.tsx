// The notes on a user, newest first, with a field for a new one. Notes do not change; their author may delete them for an
// hour.

import { ActionIcon, Badge, Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue } from "../../forms/useDraftForm";
import { formatDayAndTime } from "../../i18n/dayAndTime";
import { formatDay } from "../../i18n/formats";
import { confirm } from "../../ui/confirm";
import "../../ui/ConfirmDialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { DeleteIcon } from "../../ui/icons";
import { useMoreRows } from "../../ui/list/useMoreRows";
import { toast } from "../../ui/toast";
import { noteQueries, type UserNote, useAddNote, useDeleteNote } from "../renewals/notes";
import { Loaded, Part } from "./Part";

const step = 5;

export function Notes({ username, mayWrite }: { username: string; mayWrite: boolean }) {
  const { t } = useTranslation();
  const { size, hasMore, showMore } = useMoreRows(step, 4 * step);
  const notes = useQuery(noteQueries.newest(username, size));
  return (
    <Part title={t("customer.notes")}>
      {mayWrite && <NewNote username={username} />}
      <Loaded of={notes}>
        {({ content, totalElements }) => (
          <>
            {content.length === 0 && <p className="quiet">{t("customer.noNotes")}</p>}
            <ul className="customer-notes">
              {content.map((note) => (
                <Note key={note.id} of={note} username={username} />
              ))}
            </ul>
            {hasMore(totalElements) && (
              <Button variant="default" size="compact-sm" onClick={showMore}>
                {t("customer.showMore")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}

const blank = { text: "" };
const rule = { type: "object", properties: { text: rules.NewNote.properties.text } } as const;

function NewNote({ username }: { username: string }) {
  const { t } = useTranslation();
  const [draft] = useState(() => new Draft<{ text: string }>(blank, rule));
  const text = useDraftValue<string | null>(draft, "text") ?? "";
  const once = useIdempotencyKey();
  const { proposal, abandon, storeSent } = useDialogDraft(draft, {
    of: `note ${username}`,
    labels: "customer",
    isAlwaysOpen: true,
    once,
  });
  const adding = useAddNote(username, once);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sent = text.trim();
    if (!sent || adding.isPending) return;
    const note = { kind: "NOTE", text: sent, contactedOn: null, snoozedUntil: null } as const;
    storeSent(note);
    // What was typed meanwhile stays.
    adding.mutate(note, { onSuccess: () => draft.reset(blank, draft.writtenSince({ text: sent })) });
  };
  return (
    <form className="customer-new-note" onSubmit={submit}>
      {text.trim() && <LeaveGuard onLeave={abandon} isKept />}
      {proposal}
      <Textarea
        label={t("customer.newNote")}
        description={t("customer.newNoteHelp")}
        value={text}
        onChange={(event) => draft.set("text", event.currentTarget.value)}
        maxLength={rules.NewNote.properties.text.maxLength}
        autosize
        minRows={2}
        maxRows={8}
      />
      <FailureAlert title={t("customer.noteFailed")}>{adding.error && messageOf(adding.error)}</FailureAlert>
      <Button type="submit" size="sm" disabled={!text.trim()} loading={adding.isPending}>
        {t("customer.addNote")}
      </Button>
    </form>
  );
}

function Note({ of: note, username }: { of: UserNote; username: string }) {
  const { t } = useTranslation();
  const remove = useDeleteNote(username);
  const ask = async () => {
    const goesAhead = await confirm({
      title: t("customer.deleteNote"),
      consequence: t("customer.deleteNoteConsequence"),
      verb: t("common.delete"),
    });
    if (!goesAhead) return;
    remove.mutate(note.id, {
      onError: (problem) => toast.failure(t("customer.noteNotDeleted"), messageOf(problem)),
    });
  };
  return (
    <li>
      <div className="customer-note-head">
        {note.contactedOn && (
          <Badge variant="light" color="blue" className="status-off">
            {t("customer.contactedOn", { day: formatDay(note.contactedOn) })}
          </Badge>
        )}
        <span className="quiet">
          {note.author} · <time dateTime={note.createdDate}>{formatDayAndTime(note.createdDate)}</time>
        </span>
        {note.mayDelete && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("customer.deleteNote")}
            title={t("customer.deleteNote")}
            onClick={() => void ask()}
          >
            <DeleteIcon size={16} />
          </ActionIcon>
        )}
      </div>
      {note.text && <p className="customer-note-text">{note.text}</p>}
    </li>
  );
}
