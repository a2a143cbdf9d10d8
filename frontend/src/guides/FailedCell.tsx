// The cell of a row whose guide failed to load: a short text with a retry button.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";

interface FailedCellProps {
  title: string;
  error: Error;
  onRetry: () => void;
}

export function FailedCell({ title, error, onRetry }: FailedCellProps) {
  const { t } = useTranslation();
  return (
    <span className="guide-now">
      <span className="quiet" title={messageOf(error)}>
        {title}
      </span>
      <Button size="compact-xs" variant="subtle" onClick={onRetry}>
        {t("common.retry")}
      </Button>
    </span>
  );
}
