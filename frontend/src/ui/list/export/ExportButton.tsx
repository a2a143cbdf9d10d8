// Exports what a list shows as a spreadsheet.
import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigationType } from "react-router";
import { DownloadIcon } from "../../lazyIcons";
import { ExportDialog, type ExportDialogProps } from "./ExportDialog";

export default function ExportButton(props: Omit<ExportDialogProps, "onClose">) {
  const { t } = useTranslation();
  const { key, state } = useLocation();
  // What is come back to, or loaded again, is as it was left.
  const isBack = useNavigationType() === "POP";
  const opens = !isBack && (state as { opens?: string } | null)?.opens === "export" ? key : undefined;
  const [isOpen, setOpen] = useState(opens !== undefined);
  // The palette leads here, also from the same list.
  const [openedFor, setOpenedFor] = useState(opens);
  if (opens !== openedFor) {
    setOpenedFor(opens);
    if (opens !== undefined) setOpen(true);
  }
  const label = t("spreadsheets.export");
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={() => setOpen(true)}>
        <DownloadIcon />
      </ActionIcon>
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
