// The one heading of a page, its count, and its actions to the right. Also names the page in the browser's tab.
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageTitle } from "../app/usePageTitle";
import { formatNumber } from "../i18n/formats";

interface PageHeadingProps {
  title: string;
  count?: number;
  countLabel?: string;
  /** Beside the title: badges and the like. */
  aside?: ReactNode;
  actions?: ReactNode;
}

export function PageHeading({ title, count, countLabel, aside, actions }: PageHeadingProps) {
  usePageTitle(title);
  return (
    <div className="page-heading">
      <h1>{title}</h1>
      {count !== undefined && (
        <Badge variant="light" color="gray" size="lg" className="tabular" title={countLabel}>
          {formatNumber(count)}
          <span className="visually-hidden"> {countLabel}</span>
        </Badge>
      )}
      {aside}
      <div className="page-actions">{actions}</div>
    </div>
  );
}
