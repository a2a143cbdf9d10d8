// How far a bulk operation is.
import { Progress, Text } from "@mantine/core";
import "@mantine/core/styles/Progress.layer.css";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import type { Operation } from "./queries";

interface OperationProgressProps {
  /** Undefined until it has begun. */
  operation: Operation | undefined;
  /** Label of the progress; an undo has its own. */
  text: string;
}

export function OperationProgress({ operation, text: begun }: OperationProgressProps) {
  const { t } = useTranslation();
  const text = operation?.undoOf != null ? t("operations.undoing") : begun;
  const done = operation?.done ?? 0;
  const total = operation?.total ?? 0;
  return (
    <div role="status">
      <Text size="sm" mb="xs">
        {text} {total > 0 && `${formatNumber(done)} / ${formatNumber(total)}`}
      </Text>
      <Progress value={total > 0 ? (100 * done) / total : 0} aria-label={text} />
    </div>
  );
}
