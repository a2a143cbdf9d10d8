// Rows of an import: those that were refused first, then what changes.
import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FailuresLink, hasFailures } from "../operations/FailuresLink";
import { OperationRows } from "../operations/OperationRows";
import type { Operation, Verdict } from "../operations/queries";
import type { ImportTarget } from "./target";

/** Rows that are shown of each verdict. */
const refused = 50;
const sample = 5;

interface ImportRowsProps {
  operation: Operation;
  target: ImportTarget;
  onlyProblems?: boolean;
}

export function ImportRows({ operation, target, onlyProblems = false }: ImportRowsProps) {
  const { counts } = operation;
  const shown: [Verdict, number, number][] = [
    ["REFUSED", counts.refused, refused],
    ["CONFLICT", counts.conflicts, refused],
    ["MISSING", counts.missing, refused],
    ["CHANGED", onlyProblems ? 0 : counts.changed, sample],
    ["CREATED", onlyProblems ? 0 : counts.created, sample],
  ];
  return shown
    .filter(([, total]) => total > 0)
    .map(([verdict, total, limit]) => (
      <OperationRows
        key={verdict}
        operation={operation}
        verdict={verdict}
        total={total}
        limit={limit}
        fieldLabel={target.fieldLabel}
        valueLabel={target.valueLabel}
      />
    ));
}

/** The rows that were not imported, as a file to correct. */
export function RefusedRows({ operation }: { operation: Operation }) {
  const { t } = useTranslation();
  if (!hasFailures(operation)) return null;
  return (
    <Group gap="sm">
      <FailuresLink operation={operation}>{t("imports.failures")}</FailuresLink>
      <Text size="sm" c="dimmed">
        {t("imports.failuresWhy")}
      </Text>
    </Group>
  );
}
