// The way back to the list of webhooks, as it was left.
import { useTranslation } from "react-i18next";
import { paths } from "../../routing/paths";
import { returnAddress } from "../../ui/list/listState";

export function useBack() {
  const { t } = useTranslation();
  const to = returnAddress("webhooks", paths.webhooks);
  return { link: { to, label: t("webhooks.back"), state: { restoresList: true } } };
}
