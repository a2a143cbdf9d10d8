// Categories and guides to choose from, in the reader's language.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../../i18n";
import type { FilterChoice } from "../../ui/list/filter";
import type { Row } from "./contents";
import { contentQueries } from "./queries";

type Named = Pick<Row<"categories">, "description" | "englishDescription">;

/** What a choice between stored items needs: the items, and how fetching them goes. */
export interface Options {
  options: { value: string; label: string }[];
  isPending: boolean;
  isError: boolean;
  refetch: () => unknown;
}

export function categoryName({ description, englishDescription }: Named): string {
  return currentLanguage() === "en" ? englishDescription : description;
}

export function useCategoryOptions(type?: string, enabled = true): Options {
  const { data, ...state } = useQuery({ ...contentQueries.categories(type), enabled });
  return { options: inOrder(data?.content ?? [], categoryName), ...state };
}

export function useGuideOptions(enabled = true): Options {
  const { data, ...state } = useQuery({ ...contentQueries.lookup("tv-guides", "title"), enabled });
  return { options: inOrder(data?.content ?? [], (guide) => guide.title), ...state };
}

function inOrder<R extends { id: number }>(rows: readonly R[], nameOf: (row: R) => string) {
  return rows
    .map((row) => ({ value: String(row.id), label: nameOf(row) }))
    .sort((one, other) => one.label.localeCompare(other.label, currentLanguage()));
}

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
