// What all dashboards share: the heading, and what is shown when the numbers cannot be had. While they are on their
// way the parts of the dashboard stand there already, without values.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { ErrorView } from "../../ui/ErrorView";
import { PageHeading } from "../../ui/PageHeading";
import "./dashboards.css";

interface DashboardFrameProps {
  title: string;
  query: UseQueryResult;
  children: ReactNode;
}

export function DashboardFrame({ title, query, children }: DashboardFrameProps) {
  const { t } = useTranslation();
  const isWaiting = query.data === undefined;
  return (
    <>
      <PageHeading title={title} />
      {query.isError && isWaiting ? (
        <ErrorView
          title={t("dashboards.error")}
          message={messageOf(query.error, t("dashboards.failed"))}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <div className="dashboard" aria-busy={isWaiting}>
          <output className="visually-hidden">{isWaiting && t("common.loading")}</output>
          {children}
        </div>
      )}
    </>
  );
}
