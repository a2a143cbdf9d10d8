// Shows why something failed, also to screen readers: the live region exists before its message.
import { Alert, type MantineSpacing } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import type { ReactNode } from "react";
import { AlertIcon } from "./icons";

interface FailureAlertProps {
  /** What failed, where the reason does not say it. */
  title?: string;
  /** The reason; without one, nothing failed. */
  children: ReactNode;
  mt?: MantineSpacing;
  mb?: MantineSpacing;
}

export function FailureAlert({ title, children, mt, mb }: FailureAlertProps) {
  return (
    <div aria-live="assertive">
      {children && (
        <Alert color="red" icon={<AlertIcon />} title={title} mt={mt} mb={mb}>
          {children}
        </Alert>
      )}
    </div>
  );
}
