// Returns to the list of users with its filters, order and page.
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { paths } from "../../routing/paths";
import { returnAddress } from "../../ui/list/listState";

export function useBackToUsers() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const to = returnAddress("users", paths.users);
  const state = { restoresList: true };
  return { link: { to, label: t("users.back"), state }, go: () => navigate(to, { state }) };
}
