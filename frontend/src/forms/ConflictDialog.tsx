// Another user saved the same item first. What they changed and this form did not is merged automatically; where both
// changed a field, the user chooses for each. Closing the dialog changes nothing; the edit is never lost.
import { Button, Group, Radio, Text } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../access/session";
import { messageOf, Problem } from "../api/problem";
import { differing, type Shown } from "../history/FieldChanges";
import { useValueLabel, valueText } from "../history/valueLabels";
import { t as text, textNear } from "../i18n";
import { formatMoment } from "../i18n/formats";
import { formatList } from "../i18n/lazyFormats";
import { Dialog } from "../ui/Dialog";
import { toast } from "../ui/toast";
import type { Draft, PartialDraft } from "./draft";
import { useLastChange } from "./useLastChange";
import "./conflict.css";

interface Edit<D extends object, Stored> {
  draft: Draft<D>;
  /** The stored item; undefined for a new one, which can't have a conflict. */
  stored: Stored;
  /** What it is, by the path of the API: of it, values have their names. */
  resource: string;
  labels: string;
  /** Saves the draft over this version, and leaves the form. */
  saveOver: (version: number) => Promise<void>;
}

/** What a form edits, the version it saves over, and the actions after a conflict. */
export function useConflict<D extends object, Stored extends { version: number } | undefined>({
  draft,
  stored,
  resource,
  labels,
  saveOver,
}: Edit<D, Stored>) {
  type Item = NonNullable<Stored>;
  const { t } = useTranslation();
  const { username } = useUser();
  // What the form began with; a background refresh must not pull it from under the person's hands.
  const [base, setBase] = useState(stored);
  const [theirs, setTheirs] = useState<Item>();
  /** Another version than the one that was read, with the values that it had: of a draft that was kept. */
  const baseOn = (version: number, values: object = {}) =>
    setBase((before) => before && { ...before, ...values, version });

  /** Saves a draft that has what they changed; throws what it cannot answer. */
  const saveMerged = async (item: Item, fields: readonly string[]): Promise<void> => {
    draft.merge(pick(item, fields) as PartialDraft<D>);
    setBase(item);
    setTheirs(undefined);
    try {
      await saveOver(item.version);
    } catch (error) {
      // Changed once more meanwhile: from here on, their version is what both began with.
      if (!(await takeOver(error, item))) throw error;
      return;
    }
    if (fields.length === 0) return;
    const isMine = (item as { updatedBy?: string | null }).updatedBy === username;
    const kept = { fields: namesOf(labels, fields) };
    toast.success(
      !isMine
        ? t("conflict.merged", kept)
        : base && isNext(item, base)
          ? t("conflict.mergedOwn", kept)
          : t("conflict.mergedSeveral", kept),
    );
  };

  /** Takes over a failure that is a conflict; true when it did. */
  const takeOver = async (error: unknown, from: Stored = base): Promise<boolean> => {
    if (!(error instanceof Problem) || error.code !== "VERSION_CONFLICT" || !error.current || !from)
      return false;
    const item = error.current as Item;
    const { overlapping, onlyTheirs } = compare(from, draft.toPayload(), item);
    setBase(from);
    if (overlapping.length > 0) setTheirs(item);
    else await saveMerged(item, onlyTheirs);
    return true;
  };

  const takeTheirs = (item: Item) => {
    draft.reset(item);
    setBase(item);
    setTheirs(undefined);
  };

  const saveChosen = async (item: Item, fields: readonly string[]) => {
    try {
      await saveMerged(item, fields);
    } catch (error) {
      if (error instanceof Problem) draft.setErrors(error.violations);
      toast.failure(t("form.notSaved"), messageOf(error));
    }
  };

  const dialog = theirs && base && (
    <ConflictDialog
      key={theirs.version}
      resource={resource}
      labels={labels}
      mine={draft.toPayload()}
      before={base}
      theirs={theirs}
      onTheirs={() => takeTheirs(theirs)}
      onSave={(fields) => saveChosen(theirs, fields)}
      onClose={() => setTheirs(undefined)}
    />
  );
  return { base, baseOn, takeOver: (error: unknown) => takeOver(error), dialog };
}

interface ConflictDialogProps {
  resource: string;
  labels: string;
  mine: object;
  before: object;
  theirs: object;
  onTheirs: () => void;
  /** Receives the fields whose stored values win. */
  onSave: (fields: readonly string[]) => Promise<void>;
  onClose: () => void;
}

type Side = "mine" | "theirs";

function ConflictDialog(props: ConflictDialogProps) {
  const { labels, mine, before, theirs, onTheirs, onSave, onClose } = props;
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const { overlapping, onlyTheirs } = compare(before, mine, theirs);
  const nameOf = useValueLabel(props.resource, overlapping);
  const shown: Shown = (field, value) => nameOf(field, value) ?? described(value);
  /** Mine and theirs; of links and the like, those that differ. */
  const sidesOf = (field: string) => {
    const values = differing(field, valueAt(mine, field), valueAt(theirs, field), shown);
    return values.map((value) => shown(field, value)) as [string, string];
  };
  const { updatedDate, updatedBy } = useLastChange(props.resource, theirs);
  const isMine = useUser().username === updatedBy;
  const isOwn = isMine && isNext(theirs, before);
  const date = updatedDate && formatMoment(updatedDate);
  const save = async () => {
    setBusy(true);
    await onSave([...onlyTheirs, ...overlapping.filter((field) => chosen[field] === "theirs")]);
    setBusy(false);
  };
  return (
    <Dialog title={t(isOwn ? "conflict.titleOwn" : "conflict.title")} onClose={onClose} size="lg">
      <Text size="sm">
        {date && isMine
          ? t(isOwn ? "conflict.explanationOwn" : "conflict.explanationSeveral", { date })
          : date && updatedBy
            ? t("conflict.explanationBy", { date, name: updatedBy })
            : date
              ? t("conflict.explanationAt", { date })
              : t("conflict.explanation")}
      </Text>
      {overlapping.map((field) => {
        const [own, other] = sidesOf(field);
        return (
          <Radio.Group
            key={field}
            className="conflict-field"
            label={textNear(labels, `fields.${field}`)}
            value={chosen[field] ?? "mine"}
            onChange={(side) => setChosen({ ...chosen, [field]: side as Side })}
          >
            <div className="conflict-sides">
              <Radio
                value="mine"
                label={t(isOwn ? "conflict.mineHere" : "conflict.mine")}
                description={own}
                data-autofocus={field === overlapping[0] || undefined}
              />
              <Radio
                value="theirs"
                label={
                  isMine
                    ? t(isOwn ? "conflict.ofOwn" : "conflict.ofSeveral")
                    : updatedBy
                      ? t("conflict.of", { name: updatedBy })
                      : t("conflict.theirs")
                }
                description={other}
              />
            </div>
          </Radio.Group>
        );
      })}
      {onlyTheirs.length > 0 && (
        <Text size="sm" mt="md" c="dimmed">
          {t(isOwn ? "conflict.alsoOwn" : "conflict.alsoTheirs", { fields: namesOf(labels, onlyTheirs) })}
        </Text>
      )}
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("conflict.keepEditing")}
        </Button>
        <Button variant="default" onClick={onTheirs}>
          {t(isOwn ? "conflict.loadOwn" : "conflict.load")}
        </Button>
        <Button loading={isBusy} onClick={() => void save()}>
          {t("conflict.save")}
        </Button>
      </Group>
    </Dialog>
  );
}

/** Whether the stored version is the one after that: who saved it is then who changed all of it. */
function isNext(stored: object, before: object): boolean {
  const of = (item: object) => (item as { version: number }).version;
  return of(stored) === of(before) + 1;
}

/** A value that has no name of its own. */
function described(value: unknown): string {
  const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? text("common.noValue") : valueText(value);
}

/** The fields that both changed, to something else; and those that only they did. */
function compare(before: object, mine: object, theirs: object) {
  const theirChanges = Object.keys(mine).filter((field) => differs(before, theirs, field));
  const overlapping = theirChanges.filter(
    (field) => differs(before, mine, field) && differs(mine, theirs, field),
  );
  return { overlapping, onlyTheirs: theirChanges.filter((field) => !differs(before, mine, field)) };
}

function pick(item: object, fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, valueAt(item, field)]));
}

function valueAt(item: object, field: string): unknown {
  return (item as Record<string, unknown>)[field] ?? null;
}

function namesOf(labels: string, fields: readonly string[]): string {
  return formatList(fields.map((field) => textNear(labels, `fields.${field}`)));
}

function differs(one: object, other: object, field: string): boolean {
  const at = (item: object) => JSON.stringify((item as Record<string, unknown>)[field] ?? null, inOrder);
  return at(one) !== at(other);
}

/** The same fields in another order, or dates filled in by the server, are no change. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { createdDate: _created, updatedDate: _updated, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
