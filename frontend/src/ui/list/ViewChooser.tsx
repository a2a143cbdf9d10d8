// The saved views of a list.
import { useTranslation } from "react-i18next";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { ViewsIcon } from "../icons";
import type { SavedViewsProps } from "../savedViews/SavedViews";
import { ToolPopover } from "./ToolPopover";

const load = async () =>
  (await Promise.all([import("../savedViews/SavedViews"), loadTexts("savedViews")]))[0];
const SavedViews = lazyPart(load);

export function ViewChooser(props: Omit<SavedViewsProps, "onClose">) {
  const { t } = useTranslation();
  return (
    <ToolPopover label={t("list.savedViews")} icon={<ViewsIcon />} load={SavedViews.preload}>
      {(close) => <SavedViews {...props} onClose={close} />}
    </ToolPopover>
  );
}
