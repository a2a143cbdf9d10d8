// What a content manager has to do next: reports of viewers, and items that lack something, each a click from its list.
import { Skeleton } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { missingParts } from "../../api/completeness.gen";
import { messageOf } from "../../api/problem";
import { textAt } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { contentQueries } from "../catalogue/queries";
import { Panel } from "./Panel";

/** Without these, viewers get nothing: they come first. */
const urgent: readonly string[] = ["LINKS", "GUIDE", "EPISODES"];
const byUrgency = (a: string, b: string) => Number(urgent.includes(b)) - Number(urgent.includes(a));

/** What is counted of each kind. An item without a trailer is complete enough. */
const checks = Object.entries<readonly string[]>(missingParts).map(
  ([kind, parts]) => [kind as Kind, parts.filter((part) => part !== "TRAILER").sort(byUrgency)] as const,
);

interface Missing {
  kind: Kind;
  part: string;
  count: number;
}

/** How many items lack what. */
function useMissing() {
  const may = useMay();
  const allowed = checks
    .filter(([kind]) => may(`${contentEntries[kind].entity}_READ`))
    .flatMap(([kind, parts]) => parts.map((part) => ({ kind, part })));
  const answers = useQueries({
    queries: allowed.map(({ kind, part }) => ({
      ...contentQueries.list<Kind>(kind, {
        page: 0,
        size: 1,
        sort: "",
        search: "",
        filters: { missing: part },
      }),
      placeholderData: undefined,
    })),
  });
  const missing = allowed.flatMap((one, index): Missing[] => {
    const count = answers[index]?.data?.totalElements ?? 0;
    return count > 0 ? [{ ...one, count }] : [];
  });
  const failed = answers.filter(({ error, data }) => error && !data);
  return {
    missing,
    isPending: answers.some((answer) => answer.isPending),
    failure: failed[0]?.error,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

export function Worklist({ reports }: { reports: number | undefined }) {
  const { t } = useTranslation();
  const { missing, isPending, failure, retry } = useMissing();
  const may = useMay();
  const kinds = [...new Set(missing.map(({ kind }) => kind))];
  const hasReports = may("ISSUES_READ") && reports !== undefined && reports > 0;
  if (reports === undefined || isPending)
    return (
      <Panel title={t("dashboards.work.title")} help={t("dashboards.work.help")}>
        {["a", "b", "c", "d", "e"].map((row) => (
          <Skeleton key={row} h={32} my={6} />
        ))}
      </Panel>
    );
  return (
    <Panel title={t("dashboards.work.title")} help={t("dashboards.work.help")}>
      {failure && (
        <ErrorView title={t("dashboards.work.failed")} message={messageOf(failure)} onRetry={retry} />
      )}
      {kinds.length === 0 && !hasReports ? (
        !failure && <p className="panel-empty">{t("dashboards.work.none")}</p>
      ) : (
        <dl className="work">
          {hasReports && (
            <div>
              <dt>{t("dashboards.work.reports")}</dt>
              <dd>
                <Link to={paths.issues} data-urgent>
                  {t("dashboards.work.open", { count: reports, number: formatNumber(reports) })}
                </Link>
              </dd>
            </div>
          )}
          {kinds.map((kind) => (
            <div key={kind}>
              <dt>{textAt(`pages.${kind}`)}</dt>
              <dd>
                {missing
                  .filter((one) => one.kind === kind)
                  .map(({ part, count }) => (
                    <Link key={part} to={paths.contentsMissing(kind, part)}>
                      {t("dashboards.work.lacking", {
                        number: formatNumber(count),
                        what: textAt(`contents.missing.${part}`),
                      })}
                    </Link>
                  ))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}
