// «Auditoría»: who changed what, when and from where, for admins.
import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Kind, kinds } from "../../access/kinds";
import { call } from "../../api/client";
import { AuditAction } from "../../api/enums/AuditAction.gen";
import { Source } from "../../api/enums/Source.gen";
import type { AuditEntry } from "../../api/resources";
import { FieldChanges } from "../../history/FieldChanges";
import { t as text, textAt, textNear } from "../../i18n";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatMoment, formatTime } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import type { Column } from "../../ui/list/columns";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { seldomShown } from "../../ui/list/seldomShown";
import { type ListState, useListAddress } from "../../ui/list/useListAddress";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Dash, Moment } from "../../ui/values";
import "./audit.css";

const DayInput = seldomShown(() => import("../../forms/DayInput"));

const defaults = { name: "audit", size: 25, filters: ["resource", "action", "from", "to"] };

const tones: Record<AuditEntry["action"], Tone> = {
  CREATED: "green",
  UPDATED: "blue",
  DELETED: "red",
  RESTORED: "green",
  PASSWORD_CHANGED: "yellow",
  SIGNED_IN: "gray",
  EXPORTED: "gray",
};

function isKind(resource: string): resource is Kind {
  return (kinds as readonly string[]).includes(resource);
}

function nameOfResource(resource: string): string {
  return isKind(resource) ? textAt(`pages.${resource}`) : textAt(`history.audit.resources.${resource}`);
}

/** The search of this list is for who made the change. */
function query({ search, ...state }: ListState) {
  return { ...listQuery({ ...state, search: "" }), actor: search.trim() || undefined };
}

export default function AuditPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const list = useQuery({
    queryKey: ["audit", state],
    queryFn: ({ signal }) => call("get", "/audit", { query: query(state), signal }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const [shown, setShown] = useState<AuditEntry>();
  return (
    <>
      <ListScreen<AuditEntry>
        name={defaults.name}
        title={t("history.audit.title")}
        searchLabel={t("history.audit.search")}
        columns={useColumns()}
        filters={[
          {
            key: "resource",
            label: t("history.audit.fields.resource"),
            options: [...kinds, "seasons", "episodes", "users", "sessions"].map((one) => ({
              value: one,
              label: nameOfResource(one),
            })),
          },
          { key: "action", label: t("history.audit.fields.action"), options: optionsOf(AuditAction) },
        ]}
        state={state}
        change={change}
        answer={answerOf(list)}
        above={<Days filters={state.filters} onChange={(filters) => change({ filters })} />}
        identity={(entry) => (
          <span>
            {entry.title || entry.item}
            <span className="quiet"> {nameOfResource(entry.resource)}</span>
          </span>
        )}
        actions={(entry) =>
          Object.keys(entry.after).length > 0 && (
            <ActionButtons
              name={entry.title}
              actions={[
                {
                  label: t("history.audit.detailsOf", { name: entry.title }),
                  verb: t("history.audit.details"),
                  Icon: ViewIcon,
                  onClick: () => setShown(entry),
                },
              ]}
            />
          )
        }
      />
      {shown && (
        <Dialog title={shown.title || shown.item} onClose={() => setShown(undefined)} size="lg">
          <p>
            {labelOf(AuditAction, shown.action)} · {shown.actor ?? labelOf(Source, shown.source)} ·{" "}
            <span className="tabular">{formatMoment(shown.occurredAt)}</span>
          </p>
          <div className="audit-changes">
            <FieldChanges
              before={shown.before}
              after={shown.after}
              fieldLabel={(field) =>
                shown.resource !== "users"
                  ? textNear(`contents.${shown.resource}`, `fields.${field}`)
                  : textNear("users", `fields.${field}`)
              }
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

interface DaysProps {
  filters: Record<string, string>;
  onChange: (filters: Record<string, string | undefined>) => void;
}

function Days({ filters, onChange }: DaysProps) {
  const { t } = useTranslation();
  const { from = "", to = "" } = filters;
  const isBackwards = from !== "" && to !== "" && to < from;
  return (
    <div className="audit-days">
      <Suspense fallback={<Skeleton h={60} w={180} />}>
        <DayInput
          label={t("history.audit.from")}
          value={from}
          max={to}
          onDay={(day) => onChange({ from: day })}
        />
        <DayInput
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

function where(entry: AuditEntry): string {
  if (entry.operationId !== null) return text("history.operation", { id: entry.operationId });
  return entry.address ?? labelOf(Source, entry.source);
}

function useColumns(): Column<AuditEntry>[] {
  const { t, i18n } = useTranslation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels follow the language
  return useMemo(
    () => [
      { key: "item", label: t("history.audit.fields.item"), isIdentity: true, render: () => null },
      {
        key: "occurredAt",
        label: t("history.audit.fields.occurredAt"),
        width: "9.5rem",
        sortable: true,
        onCard: true,
        render: ({ occurredAt }) => (
          <span className="tabular">
            <Moment of={occurredAt} /> <span className="quiet">{formatTime(occurredAt)}</span>
          </span>
        ),
      },
      {
        key: "actor",
        label: t("history.audit.fields.actor"),
        width: "10rem",
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
        render: (entry) => <span className="tabular">{where(entry)}</span>,
      },
    ],
    [i18n.language],
  );
}
