// Changes many items at once: the change is chosen, previewed, confirmed, watched, and can be undone.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { useIdempotencyKey } from "../api/useIdempotencyKey";
import { Draft } from "../forms/draft";
import { LeaveGuard } from "../forms/LeaveGuard";
import { useAbandonOnUnmount } from "../forms/useAbandonOnUnmount";
import { useDialogDraft } from "../forms/useDialogDraft";
import { useDraftValue } from "../forms/useDraftForm";
import { addressOf } from "../forms/useKeptDraft";
import { formatNumber } from "../i18n/formats";
import { askAndClose } from "../ui/askAndClose";
import { Dialog } from "../ui/Dialog";
import { FailureAlert } from "../ui/FailureAlert";
import { ChangeForm } from "./ChangeForm";
import { changedLists } from "./changedLists";
import type { BulkTarget, ChosenChange } from "./changes";
import { OperationCounts } from "./OperationCounts";
import { OperationProgress } from "./OperationProgress";
import { OperationRows } from "./OperationRows";
import { PartialRows } from "./PartialRows";
import {
  type BulkChange,
  isUnfinished,
  type Operation,
  operationQueries,
  useBeginOperation,
  type Verdict,
} from "./queries";
import { RunningOperation } from "./RunningOperation";
import type { SelectedItems } from "./SelectionBar";
import { useDryRuns } from "./useDryRuns";

/** What a form of its own holds. */
export interface OwnValues {
  /** Something was put in order by hand. */
  isByHand: boolean;
}

interface OwnFormProps {
  /** What was entered before a preview, or before a crash. */
  initial: OwnValues | undefined;
  /** Another one for each draft that is restored: the form begins anew with it. */
  restored: number;
  failure: string | undefined;
  isPending: boolean;
  onPreview: (change: BulkChange) => void;
  onChange: (values: OwnValues) => void;
  onCancel: () => void;
}

/** A change that only one kind of items has, with a form of its own. */
export interface OwnForm {
  title: string;
  render: (props: OwnFormProps) => ReactNode;
}

interface BulkDialogProps extends SelectedItems {
  of: BulkTarget;
  /** What the other action of the selection is. */
  form?: OwnForm;
}

type Opened = SelectedItems["opened"];

/** Changes without anything to choose: their preview is there at once. */
const atOnce: Partial<Record<Opened, BulkChange>> = {
  deletion: { type: "DELETE" },
  restoration: { type: "RESTORE" },
};

/** Texts of the dialog for each. */
const texts = {
  change: { heading: "operations.title", run: "operations.run", verb: "operations.change" },
  another: { heading: "operations.title", run: "operations.run", verb: "operations.change" },
  deletion: { heading: "operations.deleteTitle", run: "operations.runDeletion", verb: "operations.delete" },
  restoration: {
    heading: "operations.restoreTitle",
    run: "operations.runRestoration",
    verb: "operations.restore",
  },
} as const satisfies Record<Opened, unknown>;

export function BulkDialog({ of, selected, count, opened, form, onClose }: BulkDialogProps) {
  const { t } = useTranslation();
  const [preview, setPreview] = useState<number>();
  const begin = useBeginOperation(useDryRuns(preview));
  const idempotency = useIdempotencyKey();
  const change = atOnce[opened];
  const ownForm = opened === "another" ? form : undefined;
  const [action, setAction] = useState<BulkChange>();
  const { draft, chosen, setChosen, own, setOwn, restored, proposal, abandon } = useChosenChange(
    of.resource,
    opened,
    selected,
  );
  const [running, setRunning] = useState<number>();

  const request = (change: BulkChange) => ({
    resource: of.resource,
    // An order of the user applies to exactly these items, not to what matches by now.
    ...(change.numbers ? { ids: change.numbers.map(({ id }) => id) } : selected),
    action: change,
  });
  const showPreview = (change: BulkChange) => {
    setAction(change);
    begin.mutate(
      { request: { ...request(change), dryRun: true } },
      { onSuccess: (begun) => setPreview(begun.id) },
    );
  };
  const isBegun = useRef(false);
  const isArranged = own?.isByHand === true;
  useEffect(() => {
    if (!change || isBegun.current) return;
    isBegun.current = true;
    showPreview(change);
  });
  const run = (total: number) => {
    if (!action) return;
    const body = { ...request(action), dryRun: false, expectedCount: total };
    begin.mutate(
      { request: body, idempotencyKey: idempotency.keyFor(body) },
      {
        onSuccess: (begun) => {
          idempotency.forget();
          abandon();
          setRunning(begun.id);
        },
      },
    );
  };
  const title = t(texts[opened].heading, { count, number: formatNumber(count) });
  const failure = begin.error ? messageOf(begin.error) : undefined;
  const input = of.possible.find(({ key }) => key === chosen.key)?.input;
  const isTyped =
    (input === "text" || input === "value" || typeof input === "function") &&
    chosen.values.some((value) => value.trim() !== "");
  // Only texts and an order of the user need a confirmation: choices are quickly repeated.
  const isChanged = running === undefined && (isTyped || isArranged);
  const close = () =>
    void askAndClose(isChanged, () => {
      abandon();
      onClose(running !== undefined);
    });
  useAbandonOnUnmount(draft, { isConfirmed: () => isChanged, abandon });

  return (
    <Dialog title={ownForm?.title ?? title} onClose={close} size="lg" isForm>
      {/* Another search or filter is another list, of which nothing is selected. */}
      {isChanged && <LeaveGuard placeOf={addressOf} onLeave={abandon} isKept />}
      {running !== undefined ? (
        <Running id={running} of={of} onUndo={setRunning} onClose={() => onClose(true)} />
      ) : preview !== undefined ? (
        <Preview
          id={preview}
          of={of}
          failure={failure}
          isPending={begin.isPending}
          opened={opened}
          onBack={() => {
            if (change) return onClose(false);
            begin.reset();
            setPreview(undefined);
          }}
          onRun={run}
        />
      ) : ownForm ? (
        <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
          {proposal}
          {ownForm.render({
            initial: own,
            restored,
            failure,
            isPending: begin.isPending,
            onPreview: showPreview,
            onChange: setOwn,
            onCancel: close,
          })}
        </Suspense>
      ) : change ? (
        <Beginning failure={failure} onCancel={() => onClose(false)} />
      ) : (
        <>
          {proposal}
          <ChangeForm
            possible={of.possible}
            chosen={chosen}
            onChoose={setChosen}
            failure={failure}
            isPending={begin.isPending}
            onPreview={showPreview}
            onCancel={close}
          />
        </>
      )}
    </Dialog>
  );
}

interface DraftOfChange extends ChosenChange {
  own?: OwnValues;
}

const nothing: DraftOfChange = { key: null, values: [] };
const rule = {
  type: "object",
  properties: {
    key: { type: "string", nullable: true },
    values: { type: "array" },
    own: { type: "object" },
  },
} as const;

/** What is to be changed, and into what: texts that were typed, and an order by hand, survive a crash of the browser. */
function useChosenChange(resource: string, opened: Opened, selected: SelectedItems["selected"]) {
  const [draft] = useState(() => new Draft<DraftOfChange>(nothing, rule));
  const [restored, setRestored] = useState(0);
  const key = useDraftValue<string | null>(draft, "key");
  const values = useDraftValue<string[]>(draft, "values");
  const own = useDraftValue<OwnValues | null | undefined>(draft, "own") ?? undefined;
  const [of] = useState(() => draftOf(resource, opened, selected));
  const { proposal, abandon } = useDialogDraft(draft, {
    of,
    labels: "operations",
    onRestored: () => setRestored((before) => before + 1),
  });
  return {
    draft,
    chosen: { key, values },
    setChosen: (next: ChosenChange) => draft.merge(next),
    own,
    setOwn: (next: OwnValues) => draft.set("own", next),
    restored,
    proposal,
    abandon,
  };
}

/** What its draft is stored by: an order is one of the items that were selected. */
function draftOf(resource: string, opened: Opened, { ids, filter }: SelectedItems["selected"]): string {
  // Deletion and the like propose no draft, so they delete none either.
  if (opened !== "another") return opened === "change" ? `bulk ${resource}` : `bulk ${resource} ${opened}`;
  return `bulk ${resource} ${opened} ${ids ? ids.map(String).sort() : JSON.stringify(filter ?? {})}`;
}

/** A preview is being requested for which nothing is chosen. */
function Beginning({ failure, onCancel }: { failure: string | undefined; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <FailureAlert>{failure}</FailureAlert>
      {!failure && <OperationProgress operation={undefined} text={t("operations.previewing")} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      </Group>
    </Stack>
  );
}

interface PreviewProps {
  id: number;
  of: BulkTarget;
  failure: string | undefined;
  isPending: boolean;
  opened: Opened;
  onBack: () => void;
  onRun: (total: number) => void;
}

function Preview({ id, of, failure, isPending, opened, onBack, onRun }: PreviewProps) {
  const { t } = useTranslation();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const isReady = operation !== undefined && !isUnfinished(operation);
  const changed = operation?.counts.changed ?? 0;
  const problem = failure ?? (error ? messageOf(error) : undefined);
  return (
    <Stack gap="sm">
      {operation && isReady ? (
        <>
          <OperationCounts of={operation} />
          {opened === "deletion" && (
            <Text size="sm">
              {t(of.resource === "issue-reports" ? "operations.deleteReportsWhy" : "operations.deleteWhy")}
            </Text>
          )}
          {opened === "restoration" && operation.counts.refused > 0 && (
            <Text size="sm">{t("operations.restoreRefused")}</Text>
          )}
          <Rows operation={operation} of={of} />
        </>
      ) : (
        <OperationProgress operation={operation} text={t("operations.previewing")} />
      )}
      <FailureAlert>{problem}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack}>
          {atOnce[opened] ? t("common.cancel") : t("operations.back")}
        </Button>
        <Button
          color={opened === "deletion" ? "red" : undefined}
          disabled={!isReady || changed === 0}
          loading={isPending}
          onClick={() => operation && onRun(operation.total)}
        >
          {isReady
            ? t(texts[opened].run, { count: changed, number: formatNumber(changed) })
            : t(texts[opened].verb)}
        </Button>
      </Group>
    </Stack>
  );
}

function runningText(operation: Operation | undefined) {
  switch (operation?.action?.type) {
    case "DELETE":
      return "operations.deleting";
    case "RESTORE":
      return "operations.restoring";
    default:
      return "operations.running";
  }
}

interface RunningProps {
  id: number;
  of: BulkTarget;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
  onClose: () => void;
}

function Running({ id, of, onUndo, onClose }: RunningProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return (
    <RunningOperation
      id={id}
      text={(operation) => t(runningText(operation))}
      onEnded={() => {
        for (const queryKey of [of.queryKey, ...changedLists(of.resource)])
          void client.invalidateQueries({ queryKey });
      }}
      onUndo={onUndo}
      onClose={onClose}
      details={(operation) => (
        <>
          <PartialRows operation={operation} {...labelsOf(of)} />
          <Rows operation={operation} of={of} onlyProblems />
        </>
      )}
    />
  );
}

const labelsOf = (of: BulkTarget) => ({
  fieldLabel: (field: string) => of.fieldLabel(field.split(/[.[]/)[0] ?? field),
  valueLabel: of.valueLabel,
});

/** Rows that are shown of each verdict. */
const sample = 5;

interface RowsProps {
  operation: Operation;
  of: BulkTarget;
  onlyProblems?: boolean;
}

/** Some items of each verdict. */
export function Rows({ operation, of, onlyProblems = false }: RowsProps) {
  const { counts } = operation;
  const verdicts: [Verdict, number][] = [
    ["CHANGED", onlyProblems ? 0 : counts.changed],
    ["REFUSED", counts.refused],
    ["CONFLICT", counts.conflicts],
    ["MISSING", counts.missing],
    ["UNCHANGED", onlyProblems ? 0 : counts.unchanged],
  ];
  return verdicts
    .filter(([, total]) => total > 0)
    .map(([verdict, total]) => (
      <OperationRows
        key={verdict}
        operation={operation}
        verdict={verdict}
        total={total}
        limit={sample}
        {...labelsOf(of)}
      />
    ));
}
