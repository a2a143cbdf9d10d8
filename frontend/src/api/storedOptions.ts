// Categories and guides as options, in the language of the user.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { currentLanguage } from "../i18n";
import { lookups } from "./lookups";
import type { RowOf } from "./resources";

type Named = Pick<RowOf<"categories">, "description" | "englishDescription">;

/** The options of a choice between stored items, with the state of their request. */
export interface Options {
  options: { value: string; label: string }[];
  isPending: boolean;
  /** Whether there are none because the request failed. */
  isError: boolean;
  refetch: () => unknown;
}

export function categoryName({ description, englishDescription }: Named): string {
  return currentLanguage() === "en" ? englishDescription : description;
}

export function useCategoryOptions(type?: string, enabled = true): Options {
  const { data, isPending, isError, refetch } = useQuery({ ...lookups.categories(type), enabled });
  const language = currentLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: names and order are those of the language
  const options = useMemo(() => inOrder(data?.content ?? [], categoryName), [data, language]);
  return { options, isPending, isError: isError && !data, refetch };
}

export function useGuideOptions(enabled = true): Options {
  const { data, isPending, isError, refetch } = useQuery({ ...lookups.guides, enabled });
  const options = inOrder(data?.content ?? [], (guide) => guide.title);
  return { options, isPending, isError: isError && !data, refetch };
}

function inOrder<R extends { id: number }>(rows: readonly R[], nameOf: (row: R) => string) {
  return rows
    .map((row) => ({ value: String(row.id), label: nameOf(row) }))
    .sort((one, other) => one.label.localeCompare(other.label, currentLanguage()));
}
