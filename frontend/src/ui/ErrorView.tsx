// A part of the page that could not be loaded: what happened, and the way on.
import { Alert, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
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
  return (
    <Alert color="red" variant="default" title={title} icon={<AlertIcon />} className="error-view">
      <Text size="sm" mb="md">
        {message}
      </Text>
      <Group gap="sm">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t("common.retry")}
          </Button>
        )}
        {action}
      </Group>
    </Alert>
  );
}
