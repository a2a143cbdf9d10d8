// The filters of a list by category and by guide.
import { useTranslation } from "react-i18next";
import { useCategoryOptions, useGuideOptions } from "../../api/storedOptions";
import type { FilterChoice } from "../../ui/list/filter";

/** The filters of a list by category and by guide, once these are there. */
export function useStoredFilters(type: string | undefined, byGuide: boolean): FilterChoice[] {
  const { t } = useTranslation();
  const categories = useCategoryOptions(type, type !== undefined);
  const guides = useGuideOptions(byGuide);
  return [
    ...(type
      ? [
          {
            key: "categoryId",
            label: t("contents.category"),
            options: categories.options,
            input: "several" as const,
          },
        ]
      : []),
    ...(byGuide
      ? [{ key: "tvGuideId", label: t("contents.tv-channels.fields.tvGuideId"), options: guides.options }]
      : []),
  ];
}
