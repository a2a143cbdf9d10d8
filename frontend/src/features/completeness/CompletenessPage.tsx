// «Completitud»: what the catalogue lacks, kind by kind and language by language. Every number opens its list.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { kinds } from "../../access/kinds";
import { call } from "../../api/client";
import { duplicateCounts } from "../../api/duplicates";
import { DuplicateReason } from "../../api/enums/DuplicateReason.gen";
import { messageOf } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { textAt } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import "./completeness.css";

type Completeness = components["schemas"]["Completeness"];
type DuplicateCount = components["schemas"]["DuplicateCount"];

const query = {
  queryKey: ["contents", "completeness"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("get", "/completeness", { signal }),
  staleTime: freshness.lists,
};

export default function CompletenessPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(query);
  const duplicates = useQuery(duplicateCounts);
  const ofKind = (kind: string) => duplicates.data?.filter((one) => one.kind === kind) ?? [];
  // Nothing is expected of these, and some are probably the same.
  const withoutParts = kinds.filter(
    (kind) => !data?.some((one) => one.kind === kind) && ofKind(kind).some(({ count }) => count > 0),
  );
  return (
    <>
      <PageHeading title={t("pages.completeness")} />
      <p className="quiet">{t("completeness.help")}</p>
      {data && duplicates.error && !duplicates.data && (
        <ErrorView
          title={t("completeness.duplicates.notCounted")}
          message={messageOf(duplicates.error)}
          onRetry={() => void duplicates.refetch()}
        />
      )}
      {data ? (
        <ul className="completeness">
          {data.map((one) => (
            <KindCard key={one.kind} kind={one.kind} of={one} duplicates={ofKind(one.kind)} />
          ))}
          {withoutParts.map((kind) => (
            <KindCard key={kind} kind={kind} duplicates={ofKind(kind)} />
          ))}
        </ul>
      ) : error ? (
        <ErrorView
          title={t("completeness.failed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

interface KindCardProps {
  kind: string;
  of?: Completeness;
  duplicates: readonly DuplicateCount[];
}

function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function KindCard({ kind, of, duplicates }: KindCardProps) {
  const { t } = useTranslation();
  const { total = 0, missing = [] } = of ?? {};
  return (
    <li>
      <h2>
        <Link to={paths.contents(kind)}>
          {textAt(`pages.${kind}`)} {of && <span className="quiet tabular">{formatNumber(total)}</span>}
        </Link>
      </h2>
      <dl>
        {missing.map(({ part, count }) => {
          const what = textAt(`contents.missing.${part}`);
          const complete = total === 0 ? 1 : (total - count) / total;
          return (
            <div key={part}>
              <dt>{what.charAt(0).toUpperCase() + what.slice(1)}</dt>
              <dd>
                <span className="completeness-bar" aria-hidden="true">
                  <span style={{ width: `${complete * 100}%` }} />
                </span>
                {count === 0 ? (
                  <span className="completeness-done">{t("completeness.complete")}</span>
                ) : (
                  <Link to={paths.contentsMissing(kind, part)} className="tabular">
                    {t("completeness.lacking", { count, number: formatNumber(count) })}
                    <span className="completeness-what"> {t("completeness.without", { what })}</span>
                  </Link>
                )}
              </dd>
            </div>
          );
        })}
        {duplicates
          .filter(({ count }) => count > 0)
          .map(({ reason, count }) => (
            <div key={reason}>
              <dt>
                {t("completeness.duplicated", { reason: uncapitalised(labelOf(DuplicateReason, reason)) })}
              </dt>
              <dd>
                <Link to={paths.duplicatesOf(kind, reason)} className="tabular">
                  {t("completeness.duplicates.groups", { count, number: formatNumber(count) })}
                  <span className="completeness-what"> ({labelOf(DuplicateReason, reason)})</span>
                </Link>
              </dd>
            </div>
          ))}
      </dl>
    </li>
  );
}
