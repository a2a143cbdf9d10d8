// The button that exports a list, downloaded once the list is shown.
import { Suspense } from "react";
import { loadTexts } from "../../../i18n";
import { afterFirstPage } from "../../../loading/firstPage";
import { lazyPart } from "../../../loading/lazyPart";
import type { ExportButtonProps } from "./ExportButton";

const ExportButton = lazyPart(
  afterFirstPage(async () => (await Promise.all([import("./ExportButton"), loadTexts("spreadsheets")]))[0]),
);

export function ListExport(props: ExportButtonProps) {
  return (
    <Suspense fallback={<span style={{ width: 36 }} />}>
      <ExportButton {...props} />
    </Suspense>
  );
}
