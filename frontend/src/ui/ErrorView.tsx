// A part of the page that failed to load: the error, and a retry button. It is loaded with every list, for the moment
// when nothing can be downloaded: so elements of HTML instead of the library's.
import { Button } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { AlertIcon } from "./icons";

interface ErrorViewProps {
  title: string;
  message: string;
  onRetry?: () => void;
  /** Another way out, beside trying again. */
  action?: ReactNode;
}

export function ErrorView({ title, message, onRetry, action }: ErrorViewProps) {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <div role="alert" aria-labelledby={titleId} className="error-view">
      <AlertIcon />
      <strong id={titleId}>{title}</strong>
      <p>{message}</p>
      {(onRetry || action) && (
        <div className="error-ways">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t("common.retry")}
            </Button>
          )}
          {action}
        </div>
      )}
    </div>
  );
}
