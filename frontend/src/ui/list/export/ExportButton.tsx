// Exports what a list shows as a spreadsheet.
import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigationType } from "react-router";
import { DownloadIcon } from "../../lazyIcons";
import { ExportDialog, type ExportDialogProps } from "./ExportDialog";

export interface ExportButtonProps extends Omit<ExportDialogProps, "onClose"> {
  /** Its name where it is not of the page's own list, which is the one that the palette exports. */
  label?: string;
}

export default function ExportButton({ label: ofOther, ...props }: ExportButtonProps) {
  const { t } = useTranslation();
  const { key, state } = useLocation();
  // What is come back to, or loaded again, is as it was left.
  const isBack = useNavigationType() === "POP";
  const isOpened = !ofOther && !isBack && (state as { opens?: string } | null)?.opens === "export";
  const opens = isOpened ? key : undefined;
  const [isOpen, setOpen] = useState(opens !== undefined);
  // The palette leads here, also from the same list.
  const [openedFor, setOpenedFor] = useState(opens);
  if (opens !== openedFor) {
    setOpenedFor(opens);
    if (opens !== undefined) setOpen(true);
  }
  const label = ofOther ?? t("spreadsheets.export");
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={() => setOpen(true)}>
        <DownloadIcon />
      </ActionIcon>
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
