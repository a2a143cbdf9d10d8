// The one heading of a page, its count, and its actions to the right. Also names the page in the browser's tab.
import { Badge, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatNumber } from "../i18n/formats";
import { usePageTitle } from "../routing/usePageTitle";
import { BackIcon } from "./icons";

interface PageHeadingProps {
  title: string;
  count?: number;
  countLabel?: string;
  /** The count is on its way, and its place is kept. */
  isCounting?: boolean;
  /** Beside the title: badges and the like. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** Where one came from, above the title. */
  back?: { to: string; label: string; state?: unknown };
}

export function PageHeading({
  title,
  count,
  countLabel,
  isCounting,
  aside,
  actions,
  back,
}: PageHeadingProps) {
  usePageTitle(title);
  return (
    <div className="page-heading">
      {back && (
        <Link className="page-back" to={back.to} state={back.state}>
          <BackIcon size={16} />
          {back.label}
        </Link>
      )}
      <h1>{title}</h1>
      {count !== undefined && (
        <Badge variant="light" color="gray" size="lg" className="tabular" title={countLabel}>
          {formatNumber(count)}
          <span className="visually-hidden"> {countLabel}</span>
        </Badge>
      )}
      {isCounting && <Skeleton h={26} w={52} radius="xl" />}
      {aside}
      <div className="page-actions">{actions}</div>
    </div>
  );
}
