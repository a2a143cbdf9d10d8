// Returns to the list of sources with its filters, order and page.
import { useTranslation } from "react-i18next";
import { paths } from "../../routing/paths";
import { returnAddress } from "../../ui/list/listState";

export function useBack() {
  const { t } = useTranslation();
  const to = returnAddress("playlist-sources", paths.playlists);
  return { link: { to, label: t("playlists.back"), state: { restoresList: true } } };
}
