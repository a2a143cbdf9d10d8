// What is seen before anything is known. Plain HTML: it is part of the first, small download.
import { useTranslation } from "react-i18next";

export function PageSpinner() {
  const { t } = useTranslation();
  return (
    <div className="page-spinner" role="status" aria-label={t("common.loading")}>
      <span className="spinner" />
    </div>
  );
}
