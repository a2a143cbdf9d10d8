// What is built of texts, columns for one: kept between renders, and built anew in another language.
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

/** `of`: what else it is built of. */
export function useInLanguage<T>(build: () => T, ...of: readonly unknown[]): T {
  const { i18n } = useTranslation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts follow the language
  return useMemo(build, [i18n.language, ...of]);
}
