// How many reports of viewers wait, by type of content: red where there are any, and a
// click away from their list.
import { Badge, Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { IssueContentType } from "../../api/enums/IssueContentType.gen";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Panel } from "./Panel";

const types = Object.keys(IssueContentType) as (keyof typeof IssueContentType)[];

export function UnresolvedIssues({ counts }: { counts: Readonly<Record<string, number>> | undefined }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Panel title={t("dashboards.issues.title")}>
      <dl className="issue-counts">
        {types.map((type) => {
          const count = counts?.[type] ?? 0;
          return (
            <div key={type}>
              <dt>
                {may("ISSUES_READ") ? (
                  <Link to={paths.issuesOfType(type)}>{t(`dashboards.issues.${type}`)}</Link>
                ) : (
                  t(`dashboards.issues.${type}`)
                )}
              </dt>
              <dd>
                {counts ? (
                  <Badge
                    variant={count > 0 ? "filled" : "light"}
                    color={count > 0 ? "red" : "gray"}
                    className={count > 0 ? "tabular" : "tabular status-off"}
                  >
                    {formatNumber(count)}
                  </Badge>
                ) : (
                  <Skeleton h={20} w={28} radius="xl" />
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
