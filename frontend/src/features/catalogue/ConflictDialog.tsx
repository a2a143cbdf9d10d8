// Somebody else saved the same item first: shows what they changed and lets the person choose. Closing it
// changes nothing; the edit is never lost.
import { Button, Group, List, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../../api/problem";
import type { Draft, Unfinished } from "../../forms/draft";
import { textNear } from "../../i18n";
import { Dialog } from "../../ui/Dialog";
import { toast } from "../../ui/toast";

interface Edit<D extends object, Stored> {
  draft: Draft<D>;
  /** What is there already; undefined for something new, which nobody can have changed. */
  stored: Stored;
  labels: string;
  /** Saves the draft over this version, and leaves the form. */
  saveOver: (version: number) => Promise<void>;
}

/** What a form edits, the version it saves over, and the choice when somebody else was first. */
export function useConflict<D extends object, Stored extends { version: number } | undefined>({
  draft,
  stored,
  labels,
  saveOver,
}: Edit<D, Stored>) {
  const { t } = useTranslation();
  // What the form began with; a background refresh must not pull it from under the person's hands.
  const [base, setBase] = useState(stored);
  const [theirs, setTheirs] = useState<NonNullable<Stored>>();
  const baseOn = (version: number) => setBase((before) => before && { ...before, version });

  /** Takes over a failure that is a conflict; true when it did. */
  const takeOver = (error: unknown): boolean => {
    if (!(error instanceof Problem) || error.code !== "VERSION_CONFLICT" || !error.current) return false;
    setTheirs(error.current as NonNullable<Stored>);
    return true;
  };

  const takeTheirs = (item: NonNullable<Stored>) => {
    draft.reset(item as unknown as Unfinished<D>);
    setBase(item);
    setTheirs(undefined);
  };

  const keepMine = async ({ version }: NonNullable<Stored>) => {
    try {
      await saveOver(version);
    } catch (error) {
      // Changed once more meanwhile, or refused: the draft stays, and so does the choice.
      if (takeOver(error)) return;
      if (error instanceof Problem) draft.accuse(error.violations);
      baseOn(version);
      setTheirs(undefined);
      toast.failure(t("form.notSaved"), messageOf(error));
    }
  };

  const dialog = theirs && base && (
    <ConflictDialog
      labels={labels}
      mine={draft.finished()}
      before={base}
      theirs={theirs}
      onTheirs={() => takeTheirs(theirs)}
      onMine={() => keepMine(theirs)}
      onClose={() => setTheirs(undefined)}
    />
  );
  return { base, baseOn, takeOver, dialog };
}

interface ConflictDialogProps {
  labels: string;
  mine: object;
  before: object;
  theirs: object;
  onTheirs: () => void;
  onMine: () => Promise<void>;
  onClose: () => void;
}

function ConflictDialog({ labels, mine, before, theirs, onTheirs, onMine, onClose }: ConflictDialogProps) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const changed = Object.keys(mine).filter((field) => differs(before, theirs, field));
  const save = async () => {
    setBusy(true);
    await onMine();
    setBusy(false);
  };
  return (
    <Dialog title={t("conflict.title")} onClose={onClose} size="lg">
      <Text size="sm">{t("conflict.explanation")}</Text>
      {changed.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            {t("conflict.changed")}
          </Text>
          <List size="sm">
            {changed.map((field) => (
              <List.Item key={field}>{textNear(labels, `fields.${field}`)}</List.Item>
            ))}
          </List>
        </>
      )}
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t("conflict.keepEditing")}
        </Button>
        <Button variant="default" onClick={onTheirs}>
          {t("conflict.theirs")}
        </Button>
        <Button color="red" loading={isBusy} onClick={() => void save()}>
          {t("conflict.mine")}
        </Button>
      </Group>
    </Dialog>
  );
}

function differs(one: object, other: object, field: string): boolean {
  const at = (item: object) => JSON.stringify((item as Record<string, unknown>)[field] ?? null, inOrder);
  return at(one) !== at(other);
}

/** The same fields in another order, or dates that nobody wrote, are no change. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { createdDate: _created, updatedDate: _updated, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
