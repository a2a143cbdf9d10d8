// Exports what a list shows as a spreadsheet.
import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DownloadIcon } from "../../../ui/icons";
import { ExportDialog, type ExportDialogProps } from "./ExportDialog";

export default function ExportButton(props: Omit<ExportDialogProps, "onClose">) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
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
