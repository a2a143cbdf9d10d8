// The newest bulk operations: who changed what of how many items, how far it is, and the way back.
import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Kind } from "../../access/kinds";
import { call } from "../../api/client";
import { OperationState } from "../../api/enums/OperationState.gen";
import { messageOf } from "../../api/problem";
import { currentLanguage, t, textNear } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { changedLists } from "../../operations/changedLists";
import { fieldName, isNamed, valueName } from "../../operations/names";
import { OperationCounts } from "../../operations/OperationCounts";
import { OperationRows } from "../../operations/OperationRows";
import { PartialRows } from "../../operations/PartialRows";
import {
  isUndoable,
  isUnfinished,
  type Operation,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
  type Verdict,
} from "../../operations/queries";
import { resourceName } from "../../operations/resources";
import { confirm } from "../../ui/confirm";
import { Dialog } from "../../ui/Dialog";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { DownloadIcon } from "../../ui/icons";
import { ListExport } from "../../ui/list/export/ListExport";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import { undoingOf } from "./undoing";
import "./operations-page.css";

/** The columns of a file at first: what the list shows. */
const exported = ["id", "createdDate", "createdBy", "resource", "action", "import", "state", "total"]
  .concat(["changed", "created", "unchanged", "refused", "conflicts"])
  .map((key) => ({ key }));

const tones: Record<Operation["state"], Tone> = {
  WAITING: "gray",
  RUNNING: "blue",
  FINISHED: "green",
  CANCELLED: "yellow",
  FAILED: "red",
};

export default function OperationsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(operationQueries.newest);
  const [opened, setOpened] = useState<Operation>();
  // As far as it is by now; it may be too old for the list by then.
  const shown = opened && (data?.find(({ id }) => id === opened.id) ?? opened);
  useChangedLists(data);
  const nameOf = useNames(data);
  return (
    <>
      <PageHeading
        title={t("pages.operations")}
        actions={
          data &&
          data.length > 0 && (
            <ListExport
              list="operations"
              file="spreadsheets/operations"
              query={{}}
              total={undefined}
              columns={exported}
            />
          )
        }
      />
      {data?.length === 0 ? (
        <Empty>{t("operations.page.nothing")}</Empty>
      ) : data ? (
        <ul className="operation-list" aria-label={t("pages.operations")}>
          {data.map((operation) => (
            <Item
              key={operation.id}
              of={operation}
              operations={data}
              nameOf={nameOf}
              onShow={() => setOpened(operation)}
            />
          ))}
        </ul>
      ) : error ? (
        <ErrorView
          title={t("operations.page.failed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
      {shown && <Details of={shown} nameOf={nameOf} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** Has the lists read again that an operation changed which has ended since the page was opened. */
function useChangedLists(operations: readonly Operation[] | undefined): void {
  const client = useQueryClient();
  const ended = useRef<Set<number>>(undefined);
  useEffect(() => {
    if (!operations) return;
    const now = operations.filter((operation) => !isUnfinished(operation));
    const known = ended.current;
    ended.current = new Set(now.map(({ id }) => id));
    if (!known) return;
    for (const { resource } of now.filter(({ id }) => !known.has(id)))
      for (const queryKey of changedLists(resource)) void client.invalidateQueries({ queryKey });
  }, [client, operations]);
}

interface ItemProps {
  of: Operation;
  operations: readonly Operation[];
  nameOf: NameOf;
  onShow: () => void;
}

function Item({ of: operation, operations, nameOf, onShow }: ItemProps) {
  const { t } = useTranslation();
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const failed = (problem: Error) => toast.failure(t("operations.page.notDone"), messageOf(problem));
  const changed = operation.counts.changed + operation.counts.created;
  const askToUndo = async () => {
    const { text, isSafe } = undoingOf(operation, operations);
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
      undo.mutate(operation.id, {
        onSuccess: () => toast.success(t("operations.page.undoBegun")),
        onError: failed,
      });
  };
  return (
    <li>
      <div className="operation-what">
        <strong>{resourceName(operation.resource)}</strong>
        <span>{changeOf(operation, nameOf)}</span>
        <span className="quiet">
          {operation.createdBy} · <span className="tabular">{formatMoment(operation.createdDate)}</span>
          {operation.undoneBy != null && ` · ${t("operations.page.undoneBy", { id: operation.undoneBy })}`}
        </span>
      </div>
      <div className="operation-result">
        <ToneBadge tone={tones[operation.state]}>{labelOf(OperationState, operation.state)}</ToneBadge>
        {isUnfinished(operation) && (
          <span className="tabular quiet">
            {formatNumber(operation.done)} / {formatNumber(operation.total)}
          </span>
        )}
        <OperationCounts of={operation} />
      </div>
      <Group gap="xs" className="operation-actions">
        <Button variant="default" size="compact-sm" onClick={onShow}>
          {t("operations.page.details")}
        </Button>
        {isUnfinished(operation) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={cancel.isPending}
            onClick={() => cancel.mutate(operation.id, { onError: failed })}
          >
            {t("operations.stop")}
          </Button>
        )}
        {isUndoable(operation) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={undo.isPending}
            onClick={() => void askToUndo()}
          >
            {t("operations.undo")}
          </Button>
        )}
      </Group>
    </li>
  );
}

/** The name of a value of a field: of a category or a guide that an operation refers to. */
type NameOf = (field: string, value: unknown) => string | undefined;

const ofCategories = ["categoryId", "categories"];

/** Reads the names of categories and guides, where an operation refers to some. */
function useNames(operations: Operation[] | undefined): NameOf {
  const refersTo = (fields: string[]) =>
    operations?.some(
      ({ action }) =>
        fields.includes(action?.list ?? "") || fields.some((field) => field in (action?.set ?? {})),
    ) ?? false;
  const query = { _page: 0, _size: 1000 };
  const categories = useQuery({
    queryKey: ["operations", "categories"],
    queryFn: ({ signal }) => call("get", "/categories", { query, signal }),
    enabled: refersTo(ofCategories),
  });
  const guides = useQuery({
    queryKey: ["operations", "guides"],
    queryFn: ({ signal }) => call("get", "/tv-guides", { query, signal }),
    enabled: refersTo(["tvGuideId"]),
  });
  return (field, value) => {
    const isCategory = ofCategories.includes(field);
    if (!isCategory && field !== "tvGuideId") return undefined;
    if (Array.isArray(value)) return undefined;
    if (!isCategory) return guides.data?.content.find(({ id }) => id === value)?.title;
    const category = categories.data?.content.find(({ id }) => id === value);
    return currentLanguage() === "en" ? category?.englishDescription : category?.description;
  };
}

/** Rows that the details show of each verdict. */
const shownRows = 100;

interface DetailsProps {
  of: Operation;
  nameOf: NameOf;
  onClose: () => void;
}

function Details({ of: operation, nameOf, onClose }: DetailsProps) {
  const { counts } = operation;
  const verdicts: [Verdict, number][] = [
    ["REFUSED", counts.refused],
    ["CONFLICT", counts.conflicts],
    ["MISSING", counts.missing],
    ["CREATED", counts.created],
    ["CHANGED", counts.changed],
    ["UNCHANGED", counts.unchanged],
  ];
  const { resource } = operation;
  const labels = {
    fieldLabel: (field: string) => labelOfField(resource, field),
    valueLabel: (field: string, value: unknown) => nameOfValue(resource, field, value, nameOf),
  };
  return (
    <Dialog title={changeOf(operation, nameOf)} onClose={onClose} size="xl">
      <Group justify="space-between">
        <OperationCounts of={operation} />
        {counts.refused + counts.conflicts + counts.missing > 0 && (
          <Button
            component="a"
            href={`/api/operations/${operation.id}/failures?language=${currentLanguage()}`}
            download
            variant="default"
            size="compact-sm"
            leftSection={<DownloadIcon size={16} />}
          >
            {t("operations.page.failures")}
          </Button>
        )}
      </Group>
      <PartialRows operation={operation} {...labels} />
      {verdicts
        .filter(([, total]) => total > 0)
        .map(([verdict, total]) => (
          <OperationRows
            key={verdict}
            operation={operation}
            verdict={verdict}
            total={total}
            limit={shownRows}
            {...labels}
          />
        ))}
    </Dialog>
  );
}

function labelOfField(resource: string, field: string): string {
  if (isNamed(resource)) return fieldName(resource, field);
  return textNear(`contents.${resource as Kind}`, `fields.${field.split(/[.[]/)[0]}`);
}

function nameOfValue(resource: string, field: string, value: unknown, nameOf: NameOf): string | undefined {
  return isNamed(resource) ? valueName(resource, field, value) : nameOf(field, value);
}

/** The change of an operation in one line. */
function changeOf({ action, import: file, undoOf, resource }: Operation, nameOf: NameOf): string {
  if (file) return t("operations.page.import", { file: file.fileName });
  if (!action) return t("operations.page.undoes", { id: undoOf ?? "" });
  const label = (field: string) =>
    field === "linkQuality" ? t("operations.linkQuality") : labelOfField(resource, field);
  if (action.type === "DELETE") return t("operations.page.delete");
  if (action.type === "RENUMBER") return t("operations.page.renumber");
  if (action.type === "SET")
    return Object.entries(action.set ?? {})
      .map(([field, value]) =>
        t("operations.page.set", {
          field: label(field),
          value: nameOfValue(resource, field, value, nameOf) ?? valueText(value),
        }),
      )
      .join(", ");
  if (action.type === "REPLACE")
    return t("operations.page.replace", {
      field: (action.fields ?? []).map(label).join(", "),
      find: action.find ?? "",
      replacement: action.replacement ?? "",
    });
  const list = action.list ?? "";
  const names = (action.values ?? []).map((value) => nameOf(list, value) ?? String(value));
  const values = { field: label(action.list ?? ""), value: names.join(", ") };
  return action.type === "ADD" ? t("operations.page.addTo", values) : t("operations.page.removeFrom", values);
}

function valueText(value: unknown): string {
  return typeof value === "boolean" ? t(value ? "common.yes" : "common.no") : String(value ?? "—");
}
