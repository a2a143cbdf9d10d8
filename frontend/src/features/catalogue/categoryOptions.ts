// Categories to choose from, in the reader's language.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../../i18n";
import type { FilterChoice } from "../../ui/list/Filters";
import type { Row } from "./contents";
import { contentQueries } from "./queries";

type Named = Pick<Row<"categories">, "description" | "englishDescription">;

export function categoryName({ description, englishDescription }: Named): string {
  return currentLanguage() === "en" ? englishDescription : description;
}

export function useCategoryOptions(type?: string, enabled = true) {
  const { data, isPending, isError, refetch } = useQuery({ ...contentQueries.categories(type), enabled });
  const options = (data?.content ?? [])
    .map((category) => ({
      value: String(category.id),
      label: categoryName(category),
      active: category.active,
    }))
    .sort((one, other) => one.label.localeCompare(other.label, currentLanguage()));
  return { options, isPending, isError, refetch };
}

/** The filter of a list by category, once the categories are there. */
export function useCategoryFilter(type: string | undefined): FilterChoice[] {
  const { t } = useTranslation();
  const { options } = useCategoryOptions(type, type !== undefined);
  if (!type) return [];
  return [{ key: "categoryId", label: t("contents.category"), options }];
}
