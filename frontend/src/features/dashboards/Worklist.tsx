// What a content manager has to do next: reports of viewers, and items that lack something, each a click from its list.
import { Skeleton } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { messageOf } from "../../api/problem";
import { textAt } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { contentQueries } from "../catalogue/queries";
import { Panel } from "./Panel";

const ofFilms = ["LINKS", "COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"];
const checks: readonly [Kind, readonly string[]][] = [
  ["tv-channels", ["GUIDE", "LOGO"]],
  ["movies", ofFilms],
  ["tv-shows", ofFilms.slice(1)],
  ["documentaries", ofFilms],
  ["concerts", ofFilms],
  ["sports", ofFilms],
];

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
