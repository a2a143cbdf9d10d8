// «Enlaces»: which links of channels and stations play, since when, and which hosts fail.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link as RouterLink } from "react-router";
import { contentEntries, isKind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { LinkOwner } from "../../api/enums/LinkOwner.gen";
import { LinkState } from "../../api/enums/LinkState.gen";
import { ProbeOutcome } from "../../api/enums/ProbeOutcome.gen";
import { Redundancy } from "../../api/enums/Redundancy.gen";
import { HistoryIcon } from "../../history/HistoryIcon";
import { textAt } from "../../i18n";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { Finding, StateBadge } from "../../probes/Finding";
import { paths } from "../../routing/paths";
import { DayAndTime } from "../../ui/DayAndTime";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import type { Column } from "../../ui/list/columns";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { type ListState, useListAddress } from "../../ui/list/useListAddress";
import { ToneBadge } from "../../ui/ToneBadge";
import { Dash } from "../../ui/values";
import { ChangesDialog } from "./ChangesDialog";
import { OffIcon, ProbeIcon } from "./ProbeIcon";
import { type Link, type LinkSummary, linkQueries, shareOf, useLeaveOff, useProbe } from "./queries";
import "./days.css";
import "./links.css";

const defaults = { name: "links", size: 25, filters: ["state", "owner", "outcome", "host", "redundancy"] };

/** The states that need attention come first. */
const stateCodes = ["DOWN", "FLAPPING", "SUSPECT", "RECOVERING", "UP", "UNKNOWN"] as const;

export default function LinksPage() {
  const { t } = useTranslation();
  const may = useMay();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(linkQueries.list(state));
  const summary = useQuery(linkQueries.summary).data;
  const [shown, setShown] = useState<Link>();
  const probe = useProbe();
  const leaveOff = useLeaveOff();
  const columns = useColumns();
  return (
    <>
      <ListScreen<Link>
        name={defaults.name}
        title={t("pages.links")}
        searchLabel={t("probes.search")}
        columns={columns}
        filters={[
          { key: "state", label: t("probes.fields.state"), options: optionsOf(LinkState), input: "several" },
          { key: "outcome", label: t("probes.fields.outcome"), options: optionsOf(ProbeOutcome) },
          { key: "owner", label: t("probes.fields.owner"), options: optionsOf(LinkOwner) },
          { key: "host", label: t("probes.fields.host"), options: [], input: "text" },
          { key: "redundancy", label: t("probes.fields.redundancy"), options: optionsOf(Redundancy) },
        ]}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/links"
            query={listQuery(state)}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        header={<Summary of={summary} state={state} />}
        identity={(link, leave) => (
          <span className="row-title link-title">
            {link.owner === "episodes" ? (
              // An episode is edited on the page of its show, and a link does not contain the show.
              <span data-row={link.id}>{link.title}</span>
            ) : (
              <RouterLink to={paths.editContent(link.owner, link.itemId)} data-row={link.id} onClick={leave}>
                {link.title}
              </RouterLink>
            )}
            <span className="quiet">
              {[streamName(link), link.host || t("probes.noAddress")].filter(Boolean).join(" · ")}
            </span>
          </span>
        )}
        actionsWidth="8rem"
        actions={(link) => (
          <ActionButtons
            name={link.title}
            actions={[
              ...(may("TVCHANNEL_UPDATE") && link.active && summary?.probed !== false
                ? [
                    {
                      label: t("probes.probeOf", { title: link.title }),
                      verb: t("probes.probe"),
                      Icon: ProbeIcon,
                      onClick: () => probe.mutate(link),
                    },
                  ]
                : []),
              ...(link.switchedOff && isKind(link.owner) && may(contentEntries[link.owner].toggle)
                ? [
                    {
                      label: t("probes.leaveOffOf", { title: link.title }),
                      verb: t("probes.leaveOff"),
                      Icon: OffIcon,
                      onClick: () => leaveOff.mutate(link),
                    },
                  ]
                : []),
              {
                label: t("probes.historyOf", { title: link.title }),
                verb: t("probes.history"),
                Icon: HistoryIcon,
                onClick: () => setShown(link),
              },
            ]}
          />
        )}
      />
      {shown && <ChangesDialog link={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** Counts by state, each opening its list, and hosts that have an incident. */
function Summary({ of, state }: { of: LinkSummary | undefined; state: ListState }) {
  const { t } = useTranslation();
  if (!of) return null;
  const incidents = of.hosts.filter(({ incident }) => incident);
  return (
    <div className="link-summary">
      <p className="quiet">{t(of.probed ? "probes.about" : "probes.off")}</p>
      <ul aria-label={t("probes.states")}>
        {stateCodes.map((code) => {
          const count = of.states.find((one) => one.state === code)?.count ?? 0;
          if (count === 0) return null;
          return (
            <li key={code}>
              <RouterLink
                to={`${paths.links}?state=${code}`}
                aria-current={state.filters.state === code ? "true" : undefined}
              >
                <StateBadge of={code} /> <span className="tabular">{formatNumber(count)}</span>
              </RouterLink>
            </li>
          );
        })}
      </ul>
      <Channels of={of} state={state} />
      {incidents.length > 0 && (
        <ul className="link-incidents" aria-label={t("probes.incidents")}>
          {incidents.map(({ host, links, failing }) => (
            <li key={host}>
              <OfHost host={host}>
                {t("probes.incident", {
                  host: host || t("probes.noAddress"),
                  failing: formatNumber(failing),
                  links: formatNumber(links),
                })}
              </OfHost>
            </li>
          ))}
        </ul>
      )}
      <Hosts of={of} />
    </div>
  );
}

/** Opens the links of a host. Those without an address have none to be found by. */
function OfHost({ host, children }: { host: string; children: string }) {
  if (!host) return children;
  return <RouterLink to={`${paths.links}?host=${encodeURIComponent(host)}`}>{children}</RouterLink>;
}

/** Hosts with links that fail, and how often their links played. */
function Hosts({ of: { hosts } }: { of: LinkSummary }) {
  const { t } = useTranslation();
  if (hosts.length === 0) return null;
  return (
    <details className="link-hosts">
      <summary>
        {t("probes.hosts.title", { count: hosts.length, number: formatNumber(hosts.length) })}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("probes.fields.host")}</th>
            <th scope="col">{t("probes.hosts.links")}</th>
            <th scope="col">{t("probes.hosts.failing")}</th>
            <th scope="col">{t("probes.hosts.month")}</th>
          </tr>
        </thead>
        <tbody>
          {hosts.map(({ host, links, failing, days }) => (
            <tr key={host}>
              <th scope="row">
                <OfHost host={host}>{host || t("probes.noAddress")}</OfHost>
              </th>
              <td className="tabular">{formatNumber(links)}</td>
              <td className="tabular">{formatNumber(failing)}</td>
              <td className="tabular">
                <Share of={days} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Share({ of: days }: { of: LinkSummary["hosts"][number]["days"] }) {
  const { t } = useTranslation();
  const share = shareOf(days);
  return share === undefined ? <Dash /> : t("probes.days.percent", { share: formatNumber(share) });
}

/** Channels with too few streams that play, each number opening their links. */
function Channels({ of, state }: { of: LinkSummary; state: ListState }) {
  const { t } = useTranslation();
  const shown = of.channels.filter(({ count }) => count > 0);
  if (shown.length === 0) return null;
  return (
    <ul aria-label={t("probes.channels")}>
      {shown.map(({ redundancy, count }) => (
        <li key={redundancy}>
          <RouterLink
            to={`${paths.links}?redundancy=${redundancy}`}
            aria-current={state.filters.redundancy === redundancy ? "true" : undefined}
          >
            {labelOf(Redundancy, redundancy)} <span className="tabular">{formatNumber(count)}</span>
          </RouterLink>
        </li>
      ))}
    </ul>
  );
}

/** Which of several streams it is; of a single one there is nothing to say. */
function streamName({ position, label }: Link): string | undefined {
  if (label) return label;
  return position > 0 ? textAt("probes.stream", { number: position + 1 }) : undefined;
}

function useColumns(): Column<Link>[] {
  const { t } = useTranslation();
  return useInLanguage((): Column<Link>[] => [
    {
      key: "title",
      label: t("probes.fields.title"),
      isIdentity: true,
      sortable: true,
      inFile: ["position", "label", "host"],
      render: () => null,
    },
    {
      key: "state",
      label: t("probes.fields.state"),
      width: "9rem",
      onCard: true,
      inFile: ["active", "switchedOff"],
      render: ({ state, active, switchedOff }) =>
        active ? (
          <>
            <StateBadge of={state} />
            {switchedOff && <ToneBadge tone="orange">{t("probes.switchedOff")}</ToneBadge>}
          </>
        ) : (
          <ToneBadge tone="gray">{t("probes.inactive")}</ToneBadge>
        ),
    },
    {
      key: "since",
      label: t("probes.fields.since"),
      width: "clamp(7rem, 11vw, 9.5rem)",
      sortable: true,
      onCard: true,
      render: ({ since }) => <DayAndTime of={since} />,
    },
    {
      key: "outcome",
      label: t("probes.fields.outcome"),
      width: "clamp(8rem, 30vw - 9rem, 18rem)",
      onCard: true,
      inFile: ["httpStatus", "format", "height", "codecs"],
      render: (link) => <Finding link={link} />,
    },
    {
      key: "probedAt",
      label: t("probes.fields.probedAt"),
      width: "9.5rem",
      sortable: true,
      needsRoom: true,
      render: ({ probedAt }) => <DayAndTime of={probedAt} />,
    },
  ]);
}
