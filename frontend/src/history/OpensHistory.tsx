// The button of a form that opens the history of what it edits.
import { Button } from "@mantine/core";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { HistoryIcon } from "./HistoryIcon";

interface OpensHistoryProps {
  /** The label of the button where another history is next to it. */
  label?: string;
  children: (close: () => void) => ReactNode;
}

export function OpensHistory({ label, children }: OpensHistoryProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<HistoryIcon size={16} />} onClick={() => setOpen(true)}>
        {label ?? t("form.history")}
      </Button>
      {isOpen && <Suspense fallback={null}>{children(() => setOpen(false))}</Suspense>}
    </>
  );
}
