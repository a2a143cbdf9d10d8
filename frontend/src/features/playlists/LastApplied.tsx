// What was applied last: each operation leads to its rows, and to its undo.
import { useQueries } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { textAt } from "../../i18n";
import { operationQueries } from "../../operations/queries";
import { paths } from "../../routing/paths";
import { DayAndTime } from "../../ui/DayAndTime";

export function LastApplied({ of: ids }: { of: readonly number[] }) {
  const { t } = useTranslation();
  const label = useId();
  // One apply is two operations at the most: of channels and of radio stations.
  const found = useQueries({ queries: ids.slice(-2).map(operationQueries.one) });
  // Operations of other users are answered 404.
  const operations = found.flatMap(({ data }) => data ?? []);
  const newest = operations.filter(
    ({ resource, undoneBy }, index) =>
      undoneBy == null && !operations.slice(index + 1).some((later) => later.resource === resource),
  );
  if (newest.length === 0) return null;
  return (
    <nav className="playlist-counts quiet" aria-labelledby={label}>
      <span id={label}>{t("playlists.lastApplied")}</span>
      {newest.map(({ id, resource, createdDate, finishedDate }) => (
        <Link key={id} to={`${paths.operations}?operation=${id}`}>
          {textAt(`pages.${resource}`)} <DayAndTime of={finishedDate ?? createdDate} />
        </Link>
      ))}
    </nav>
  );
}
