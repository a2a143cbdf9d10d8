// A webhook that could not be loaded, or is not there any more.
import { useTranslation } from "react-i18next";
import { NotLoaded } from "../../ui/NotLoaded";
import { useBack } from "./useBack";

export function NotHere({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation();
  const { link } = useBack();
  return (
    <NotLoaded
      page={t("pages.webhooks")}
      title={t("webhooks.loadFailed")}
      reason={error}
      onRetry={onRetry}
      back={link}
    />
  );
}
