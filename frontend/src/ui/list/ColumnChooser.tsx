// The choice of visible columns; the first is always visible.
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../loading/lazyPart";
import { ColumnsIcon } from "../icons";
import type { ColumnChoicesProps } from "./lazy/ColumnChoices";
import { ToolPopover } from "./ToolPopover";

const ColumnChoices = lazyPart(() => import("./lazy/ColumnChoices"));

export function ColumnChooser(props: ColumnChoicesProps) {
  const { t } = useTranslation();
  return (
    <ToolPopover label={t("list.columns")} icon={<ColumnsIcon />} load={ColumnChoices.preload}>
      {() => <ColumnChoices {...props} />}
    </ToolPopover>
  );
}
