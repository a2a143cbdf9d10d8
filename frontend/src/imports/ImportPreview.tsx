// The third step of an import: what would become of each row.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { formatNumber } from "../i18n/formats";
import { OperationCounts } from "../operations/OperationCounts";
import { OperationProgress } from "../operations/OperationProgress";
import { isUnfinished, operationQueries } from "../operations/queries";
import { FailureAlert } from "../ui/FailureAlert";
import { ImportRows, RefusedRows } from "./ImportRows";
import type { ImportTarget } from "./target";

interface ImportPreviewProps {
  id: number;
  target: ImportTarget;
  failure: string | undefined;
  isPending: boolean;
  onBack: () => void;
  onRun: () => void;
}

export function ImportPreview({ id, target, failure, isPending, onBack, onRun }: ImportPreviewProps) {
  const { t } = useTranslation();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const isReady = operation !== undefined && !isUnfinished(operation);
  const imported = operation ? operation.counts.created + operation.counts.changed : 0;
  const problem = failure ?? (error ? messageOf(error) : undefined);
  return (
    <Stack gap="sm">
      {operation && isReady ? (
        <>
          <OperationCounts of={operation} />
          {imported === 0 && <Text size="sm">{t("imports.nothing")}</Text>}
          <ImportRows operation={operation} target={target} />
          <RefusedRows operation={operation} />
        </>
      ) : (
        <OperationProgress operation={operation} text={t("imports.previewing")} />
      )}
      <FailureAlert>{problem}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack}>
          {t("operations.back")}
        </Button>
        <Button disabled={!isReady || imported === 0} loading={isPending} onClick={onRun}>
          {t("imports.run", { count: imported, number: formatNumber(imported) })}
        </Button>
      </Group>
    </Stack>
  );
}
