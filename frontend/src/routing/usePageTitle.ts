// The name of the page in the browser's tab and history.
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

export function usePageTitle(title: string | undefined): void {
  const { t } = useTranslation();
  const product = t("product.name");
  useEffect(() => {
    document.title = title ? `${title} · ${product}` : product;
  }, [title, product]);
}
