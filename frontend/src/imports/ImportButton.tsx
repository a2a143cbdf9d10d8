// Imports a spreadsheet into a list.
import { ActionIcon } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadFormTexts, loadTexts } from "../i18n";
import { lazyPart } from "../loading/lazyPart";
import { UploadIcon } from "../ui/lazyIcons";
import type { ImportTarget } from "./target";

const ImportDialog = lazyPart(
  async () => (await Promise.all([import("./ImportDialog"), loadTexts("operations"), loadFormTexts()]))[0],
  { isDialog: true },
);

export default function ImportButton({ target }: { target: ImportTarget }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const label = t("imports.import");
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={() => setOpen(true)}>
        <UploadIcon />
      </ActionIcon>
      {isOpen && (
        <Suspense fallback={null}>
          <ImportDialog target={target} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
