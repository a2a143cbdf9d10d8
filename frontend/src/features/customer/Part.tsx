// A part of a user's page: its heading, and its state while it is loaded or where it could not be.
import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { ErrorView } from "../../ui/ErrorView";

interface PartProps {
  title: string;
  help?: string;
  /** Beside the heading. */
  aside?: ReactNode;
  children: ReactNode;
}

export function Part({ title, help, aside, children }: PartProps) {
  const id = useId();
  return (
    <section className="customer-part" aria-labelledby={id}>
      <div className="customer-part-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {help && <p className="quiet customer-help">{help}</p>}
      {children}
    </section>
  );
}

interface LoadedProps<Data> {
  of: UseQueryResult<Data>;
  height?: number;
  children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ of: query, height = 96, children }: LoadedProps<Data>) {
  const { t } = useTranslation();
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return (
      <ErrorView
        title={t("customer.failed")}
        message={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  return <Skeleton h={height} role="status" aria-label={t("common.loading")} />;
}
