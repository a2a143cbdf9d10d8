// «Historial de Visitas»: who came, when, from where and what for. The shared list, narrowed by user, kind and days, with
// a chart of the days above it and a spreadsheet of all of it.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { VisitKind } from "../../api/enums/VisitKind.gen";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatTime } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import { answerOf } from "../../ui/list/answer";
import type { Column } from "../../ui/list/columns";
import { ListExport } from "../../ui/list/export/ListExport";
import { isFiltered } from "../../ui/list/isFiltered";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { ToneBadge } from "../../ui/ToneBadge";
import { Dash } from "../../ui/values";
import { ContentOf, DeviceOf, RecentDay } from "./cells";
import { DaysChart } from "./DaysChart";
import { type Visit, visitQueries } from "./queries";
import { VisitFilters } from "./VisitFilters";
import "./visit-history.css";

const defaults = { name: "visits", size: 10, filters: ["username", "from", "to", "kind"] };
/** What the list shows within other columns. */
const onlyInFile = ["fullName", "contentType"];

export default function VisitHistoryPage() {
  const { t } = useTranslation();
  const canSeeUsers = useMay()("USER_READ");
  const { state, change } = useListAddress(defaults);
  const list = useQuery(visitQueries.list(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => visitQueries.list(next));
  const columns = useColumns();

  return (
    <ListScreen<Visit>
      name={defaults.name}
      title={t("visits.title")}
      searchLabel={t("visits.search")}
      columns={columns}
      filters={[{ key: "kind", label: t("visits.fields.kind"), options: optionsOf(VisitKind) }]}
      state={state}
      change={change}
      answer={answerOf(list)}
      aside={
        <ListExport
          list={defaults.name}
          file="spreadsheets/visits"
          query={listQuery(state)}
          total={list.data?.totalElements}
          columns={columns}
          also={onlyInFile}
        />
      }
      header={
        <>
          <VisitFilters
            filters={state.filters}
            isFiltered={isFiltered(state)}
            onChange={(filters) => change({ filters })}
          />
          <DaysChart filters={state.filters} />
        </>
      }
      identity={({ id, username, fullName, registered }, leave) => (
        <span className="visit-user">
          {registered && canSeeUsers ? (
            <Link to={paths.user(username)} data-row={id} onClick={leave}>
              {fullName ?? username}
            </Link>
          ) : (
            <span>{fullName ?? username}</span>
          )}
          {(fullName || !registered) && (
            <span className="quiet">{fullName ? username : t("visits.unknown")}</span>
          )}
        </span>
      )}
      onIntent={prefetchNext}
    />
  );
}

function useColumns(): Column<Visit>[] {
  const { t } = useTranslation();
  return useInLanguage((): Column<Visit>[] => [
    { key: "username", label: t("visits.fields.username"), isIdentity: true, render: () => null },
    {
      key: "occurredAt",
      label: t("visits.fields.occurredAt"),
      width: "8.5rem",
      sortable: true,
      onCard: true,
      render: ({ occurredAt }) => (
        <span className="visit-date">
          <RecentDay of={occurredAt} /> <span className="quiet tabular">{formatTime(occurredAt)}</span>
        </span>
      ),
    },
    {
      key: "kind",
      label: t("visits.fields.kind"),
      width: "9.5rem",
      onCard: true,
      render: ({ kind }) => (
        <ToneBadge tone={kind === "SIGN_IN" ? "blue" : "green"}>{labelOf(VisitKind, kind)}</ToneBadge>
      ),
    },
    {
      key: "content",
      label: t("visits.fields.content"),
      width: "12rem",
      onCard: true,
      render: ({ content }) => <ContentOf content={content} />,
    },
    {
      key: "device",
      label: t("visits.fields.device"),
      width: "12rem",
      onCard: true,
      needsRoom: true,
      render: ({ device }) => <DeviceOf device={device} />,
    },
    {
      key: "address",
      label: t("visits.fields.address"),
      width: "11rem",
      onCard: true,
      render: ({ address }) => (address ? <span className="tabular">{address}</span> : <Dash />),
    },
    {
      key: "source",
      label: t("visits.fields.source"),
      width: "8rem",
      needsRoom: true,
      render: ({ source }) => source ?? t("visits.panel"),
    },
  ]);
}
