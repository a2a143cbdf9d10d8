// The result of looking up a film, in its form: what was filled in, what is missing, which genres are unknown.
import { Alert } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Draft } from "../../forms/draft";
import { textNear } from "../../i18n";
import { formatList } from "../../i18n/lazyFormats";

interface LookupResultProps {
  draft: Draft<object>;
  labels: string;
  filled: readonly string[];
}

/** What the film database filled in, and what is still missing of what the form has or viewers look at. */
export function LookupResult({ draft, labels, filled }: LookupResultProps) {
  const { t } = useTranslation();
  const missing = useSyncExternalStore(draft.subscribe, () =>
    Object.keys(draft.rule.properties ?? {})
      .filter((name) => draft.isRequired(name) || wanted.includes(name))
      .filter((name) => isEmpty(draft.get(name)))
      .join(),
  );
  if (filled.length === 0) return null;
  const names = (fields: readonly string[]) =>
    formatList(fields.map((field) => textNear(labels, `fields.${field}`)));
  return (
    <Alert color="blue" mb="md">
      <div>{t("lookup.filled", { fields: names(filled) })}</div>
      {missing && (
        <div>
          <strong>{t("lookup.missing", { fields: names(missing.split(",")) })}</strong>
        </div>
      )}
    </Alert>
  );
}

/** No form has these, and viewers miss them. */
const wanted = ["spanishSynopsis", "englishSynopsis", "coverImageUrl"];

export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

interface UnmatchedGenresProps {
  genres: readonly string[];
  onClose: () => void;
}

/** The film database's genres that have no counterpart here. */
export function UnmatchedGenres({ genres, onClose }: UnmatchedGenresProps) {
  const { t } = useTranslation();
  if (genres.length === 0) return null;
  return (
    <Alert color="yellow" mb="md" withCloseButton closeButtonLabel={t("common.close")} onClose={onClose}>
      {t("lookup.unmatched", { count: genres.length, genres: formatList(genres) })}
    </Alert>
  );
}
