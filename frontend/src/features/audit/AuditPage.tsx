// «Auditoría»: who changed what, when and from where, for admins.
import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isKind, type Kind, kinds } from "../../access/kinds";
import { call } from "../../api/client";
import { AuditAction } from "../../api/enums/AuditAction.gen";
import { Source } from "../../api/enums/Source.gen";
import type { Operation } from "../../api/operations";
import type { AuditEntry } from "../../api/resourceItems";
import { mayBeUsername } from "../../forms/username";
import { FieldChanges } from "../../history/FieldChanges";
import { HistoryIcon } from "../../history/HistoryIcon";
import { itemName } from "../../history/itemName";
import { operationPath } from "../../history/operationPath";
import { loadScreenLabels, screenLabelOf } from "../../history/screenLabels";
import { useValueLabel, type ValueLabel } from "../../history/valueLabels";
import { hasText, hasTextNear, t as text, textAt, textNear } from "../../i18n";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatMoment } from "../../i18n/formats";
import { changedFields, changeText, type NamedChange } from "../../operations/changeText";
import { DayAndTime } from "../../ui/DayAndTime";
import { Dialog } from "../../ui/Dialog";
import { ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import type { Column } from "../../ui/list/columns";
import { ListExport } from "../../ui/list/export/ListExport";
import { isFiltered } from "../../ui/list/isFiltered";
import { ListScreen } from "../../ui/list/ListScreen";
import { emptyPage, listQuery } from "../../ui/list/listQuery";
import { seldomShown } from "../../ui/list/seldomShown";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { type ChangeList, type ListState, useListAddress } from "../../ui/list/useListAddress";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Dash } from "../../ui/values";
import "./audit.css";
import { entriesPath, itemPath } from "./itemPaths";

const DayInput = seldomShown(() => import("../../forms/DayInput"));

const defaults = { name: "audit", size: 25, filters: ["resource", "item", "action", "from", "to"] };

const tones: Record<AuditEntry["action"], Tone> = {
  CREATED: "green",
  UPDATED: "blue",
  MERGED: "blue",
  DELETED: "red",
  PURGED: "red",
  RESTORED: "green",
  PASSWORD_CHANGED: "yellow",
  ROLE_CHANGED: "yellow",
  SECRET_CHANGED: "yellow",
  REVOKED: "red",
  SIGNED_IN: "gray",
  SIGN_IN_REFUSED: "red",
  SESSIONS_ENDED: "yellow",
  DENIED: "red",
  EXPORTED: "gray",
  IMPORTED: "blue",
  BEGUN: "blue",
  CANCELLED: "yellow",
  UNDONE: "yellow",
  CREDITS_MOVED: "blue",
  REQUESTED: "gray",
  APPROVED: "green",
  DECLINED: "yellow",
};

/** What the file has beside the columns of the list: what an entry is about, and the values. */
const alsoInFile = ["resource", "title", "before", "after", "address"];

type Resource = NonNullable<NonNullable<Operation<"get", "/audit">["parameters"]["query"]>["resource"]>;

/** What entries are about beside content, in the order of the filter. A resource that is missing here is a type error. */
const otherResources: Record<Exclude<Resource, Kind | "seasons" | "episodes">, true> = {
  users: true,
  sessions: true,
  requests: true,
  credits: true,
  "reversal-requests": true,
  operations: true,
  "integrator-keys": true,
  "live-profiles": true,
  "playlist-sources": true,
  "playlist-changes": true,
  "playlist-lines": true,
  "guide-channels": true,
  "guide-health": true,
  schedule: true,
  duplicates: true,
  links: true,
  "epg-matches": true,
  "epg-matching": true,
  webhooks: true,
  "webhook-deliveries": true,
  "app-settings": true,
  "channels-base-url": true,
  "radio-stations-base-url": true,
  "background-images": true,
  "alert-messages": true,
  "renewal-messages": true,
  "saved-views": true,
  backups: true,
  trash: true,
  "issue-reports": true,
  "issue-groups": true,
  renewals: true,
  visits: true,
  audit: true,
};

function nameOfResource(resource: string): string {
  if (isKind(resource)) return textAt(`pages.${resource}`);
  const name = `history.audit.resources.${resource}`;
  // A newer server may have entries about resources that this version of the panel lacks.
  return hasText(name) ? textAt(name) : resource;
}

/** What an entry is called: that of its kind where it is about no single thing. */
function nameOfItem(entry: AuditEntry): string {
  return nameOf(entry) || nameOfResource(entry.resource);
}

const nameOf = ({ resource, title, item }: AuditEntry) => itemName(resource, title) || item;

/** The name of a field: that of the form or screen that changes it, or that of this page. */
function fieldLabelOf({ resource }: AuditEntry, field: string): string {
  const own = `history.audit.names.${field}`;
  if (isKind(resource) && hasTextNear(`contents.${resource}`, `fields.${field}`))
    return textNear(`contents.${resource}`, `fields.${field}`);
  return screenLabelOf(resource, field) ?? (hasText(own) ? textAt(own) : field);
}

/** What an operation changes, and of what. */
function operationOf({ resource, before, after }: AuditEntry) {
  const { kind, change } = { ...before, ...after };
  if (resource !== "operations" || typeof kind !== "string") return undefined;
  return { resource: kind, change: (change ?? undefined) as NamedChange | undefined };
}

/** Names of values that the log alone has. */
function useLogValues(entry: AuditEntry): ValueLabel {
  const operation = operationOf(entry);
  const { resource = "", change } = operation ?? {};
  const nameOf = useValueLabel(resource, change ? changedFields(change) : []);
  return (field, value) => {
    if (entry.action === "SIGN_IN_REFUSED" && field === "reason" && typeof value === "string")
      return textAt(`history.audit.refusals.${value}`);
    if (!operation || !value) return undefined;
    if (field === "kind") return nameOfResource(resource);
    return field === "change" && change ? changeText(change, resource, nameOf) : undefined;
  };
}

/** The search of this list is by actor. An item belongs to a resource. */
function query({ search, ...state }: ListState) {
  const { resource, item, ...others } = state.filters;
  const filters = { ...others, ...(resource && { resource, ...(item && { item }) }) };
  return { ...listQuery({ ...state, search: "", filters }), actor: search.trim() || undefined };
}

/** What users are called in entries: the server compares their names without case. */
const keyOf = ({ resource, item }: { resource?: string; item?: string }) =>
  `${resource} ${item?.toLowerCase()}`;

/** The title that the item of the address had last, as its entries have it. */
function useTitle(filters: Record<string, string>, entries: readonly AuditEntry[] | undefined) {
  const key = keyOf(filters);
  const entry = entries?.find(({ title, ...of }) => title && keyOf(of) === key);
  const found = entry && nameOf(entry);
  // The title stays where another filter matches no entry.
  const [known, setKnown] = useState({ key, title: found });
  if (found && (known.key !== key || known.title !== found)) setKnown({ key, title: found });
  return found ?? (known.key === key ? known.title : undefined);
}

export default function AuditPage() {
  const { t } = useTranslation();
  const { state, change: changeAddress } = useListAddress(defaults);
  const { resource, item } = state.filters;
  const change: ChangeList = useCallback(
    ({ filters, ...next }, options) => {
      // The ids of one resource are not those of another.
      const isOther = filters && "resource" in filters && filters.resource !== resource;
      const wanted = isOther ? { item: undefined, ...filters } : filters;
      changeAddress({ ...next, ...(wanted && { filters: wanted }) }, options);
    },
    [changeAddress, resource],
  );
  const list = useQuery({
    queryKey: ["audit", state],
    queryFn: async ({ signal }) =>
      mayBeUsername(state.search) ? call("get", "/audit", { query: query(state), signal }) : emptyPage(state),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const [shown, setShown] = useState<AuditEntry>();
  const columns = useColumns();
  const title = useTitle(state.filters, list.data?.content);
  return (
    <>
      <ListScreen<AuditEntry>
        name={defaults.name}
        title={t("history.audit.title")}
        searchLabel={t("history.audit.search")}
        columns={columns}
        aside={
          mayBeUsername(state.search) && (
            <ListExport
              list={defaults.name}
              file="spreadsheets/audit"
              query={query(state)}
              total={list.data?.totalElements}
              columns={columns}
              also={alsoInFile}
            />
          )
        }
        filters={[
          {
            key: "resource",
            label: t("history.audit.fields.resource"),
            options: [...kinds, "seasons", "episodes", ...Object.keys(otherResources)].map((one) => ({
              value: one,
              label: nameOfResource(one),
            })),
          },
          // Chosen at an entry, of which it has the title.
          ...(resource && item
            ? [
                {
                  key: "item",
                  label: t("history.audit.fields.item"),
                  options: [{ value: item, label: title ?? item }],
                },
              ]
            : []),
          { key: "action", label: t("history.audit.fields.action"), options: optionsOf(AuditAction) },
        ]}
        state={state}
        change={change}
        answer={answerOf(list)}
        header={
          <Days
            filters={state.filters}
            isFiltered={isFiltered(state)}
            onChange={(filters) => change({ filters })}
          />
        }
        identity={(entry) => (
          <span>
            <Item of={entry} />{" "}
            <span className={nameOf(entry) ? "quiet" : undefined}>{nameOfResource(entry.resource)}</span>
          </span>
        )}
        actionsWidth="6rem"
        actions={(entry) => (
          <ActionButtons
            name={nameOfItem(entry)}
            actions={[
              ...(hasValues(entry)
                ? [
                    {
                      label: t("history.audit.detailsOf", { name: nameOfItem(entry) }),
                      verb: t("history.audit.details"),
                      Icon: ViewIcon,
                      onClick: () => setShown(entry),
                    },
                  ]
                : []),
              ...(entry.item && keyOf(entry) !== keyOf(state.filters)
                ? [
                    {
                      label: t("history.audit.allOf", { name: nameOfItem(entry) }),
                      verb: t("history.audit.all"),
                      Icon: HistoryIcon,
                      to: entriesPath(entry.resource, entry.item),
                    },
                  ]
                : []),
            ]}
          />
        )}
      />
      {shown && (
        <Dialog title={nameOfItem(shown)} onClose={() => setShown(undefined)} size="lg">
          <p>
            {labelOf(AuditAction, shown.action)} · {shown.actor ?? labelOf(Source, shown.source)} ·{" "}
            <span className="tabular">{formatMoment(shown.occurredAt)}</span>
          </p>
          <Changes of={shown} />
        </Dialog>
      )}
    </>
  );
}

const hasValues = ({ before, after }: AuditEntry) => Object.keys({ ...before, ...after }).length > 0;

function Changes({ of: entry }: { of: AuditEntry }) {
  const labels = useQuery({
    queryKey: ["audit", "labels", entry.resource],
    queryFn: async () => {
      await loadScreenLabels(entry.resource);
      return true;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const valueLabel = useLogValues(entry);
  if (labels.isPending) return <Skeleton h={60} />;
  return (
    <div className="audit-changes">
      <FieldChanges
        resource={entry.resource}
        before={entry.before}
        after={entry.after}
        fieldLabel={(field) => fieldLabelOf(entry, field)}
        valueLabel={valueLabel}
      />
    </div>
  );
}

interface DaysProps {
  filters: Record<string, string>;
  /** The list has a search or filters. */
  isFiltered: boolean;
  onChange: (filters: Record<string, string | undefined>) => void;
}

function Days({ filters, isFiltered, onChange }: DaysProps) {
  const { t } = useTranslation();
  const { from = "", to = "" } = filters;
  const isBackwards = from !== "" && to !== "" && to < from;
  return (
    <div className="audit-days">
      <Suspense fallback={<Skeleton h={60} w={180} />}>
        <DayInput
          isFiltered={isFiltered}
          label={t("history.audit.from")}
          value={from}
          max={to}
          onDay={(day) => onChange({ from: day })}
        />
        <DayInput
          isFiltered={isFiltered}
          label={t("history.audit.to")}
          value={to}
          min={from}
          error={isBackwards ? t("history.audit.backwards") : undefined}
          onDay={(day) => onChange({ to: day })}
        />
      </Suspense>
    </div>
  );
}

function Where({ of: { operationId, address, source } }: { of: AuditEntry }) {
  if (operationId === null) return <span className="tabular">{address ?? labelOf(Source, source)}</span>;
  return (
    <Link to={operationPath(operationId)} className="cell-link tabular">
      {text("history.operation", { id: operationId })}
    </Link>
  );
}

function Item({ of: entry }: { of: AuditEntry }) {
  const path = itemPath(entry);
  const name = nameOf(entry);
  return path === undefined ? name : <Link to={path}>{name}</Link>;
}

function useColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation();
  return useInLanguage((): Column<AuditEntry>[] => [
    { key: "item", label: t("history.audit.fields.item"), isIdentity: true, render: () => null },
    {
      key: "occurredAt",
      label: t("history.audit.fields.occurredAt"),
      width: "9.5rem",
      sortable: true,
      onCard: true,
      render: ({ occurredAt }) => <DayAndTime of={occurredAt} />,
    },
    {
      key: "actor",
      label: t("history.audit.fields.actor"),
      width: "8rem",
      onCard: true,
      render: ({ actor }) => actor ?? <Dash />,
    },
    {
      key: "action",
      label: t("history.audit.fields.action"),
      width: "11rem",
      onCard: true,
      render: ({ action }) => <ToneBadge tone={tones[action]}>{labelOf(AuditAction, action)}</ToneBadge>,
    },
    {
      key: "source",
      label: t("history.audit.fields.source"),
      width: "11rem",
      needsRoom: true,
      onCard: true,
      render: (entry) => <Where of={entry} />,
    },
  ]);
}
