// Returns to the list of webhooks with its filters, order and page.
import { useTranslation } from "react-i18next";
import { paths } from "../../routing/paths";
import { returnAddress } from "../../ui/list/listState";

export function useBack() {
  const { t } = useTranslation();
  const to = returnAddress("webhooks", paths.webhooks);
  return { link: { to, label: t("webhooks.back"), state: { restoresList: true } } };
}
