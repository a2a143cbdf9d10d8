// The category of a group, and whether its channels are for adults. Memoised: a field with choices is slow to render, and
// fifty of them are beside the search.
import { Checkbox, Select } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Combobox.layer.css";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { components } from "../../api/schema.gen";
import type { Options } from "../../api/storedOptions";
import { formatNumber } from "../../i18n/formats";

interface GroupRowProps {
  of: components["schemas"]["PlaylistGroup"];
  categories: Options["options"];
  category: number | null | undefined;
  isSuggested: boolean;
  /** Another user has chosen otherwise meanwhile. */
  isLost: boolean;
  /** What was decided; otherwise the server goes by the name. */
  adult: boolean | undefined;
  onChoose: (group: string, choice: { categoryId: number | null } | { adult: boolean }) => void;
}

export const GroupRow = memo(function GroupRow(props: GroupRowProps) {
  const { of, categories, category, isSuggested, isLost, adult, onChoose } = props;
  const { group, entries, adultSuggestion } = of;
  const { t } = useTranslation();
  const entryCount = t("playlists.groups.entries", { count: entries, number: formatNumber(entries) });
  return (
    <div className="playlist-group">
      <Select
        label={group}
        description={
          isLost ? t("playlists.groups.theirs") : isSuggested ? t("playlists.groups.suggested") : entryCount
        }
        data={categories}
        searchable
        // The first has the focus when the dialog opens, and its choices would cover the others.
        openOnFocus={false}
        clearable
        clearButtonProps={{ "aria-label": t("form.clear", { field: group }) }}
        placeholder={t("playlists.groups.default")}
        nothingFoundMessage={t("form.nothingFound")}
        value={category && categories.length > 0 ? String(category) : null}
        onChange={(next) => onChoose(group, { categoryId: next ? Number(next) : null })}
      />
      <Checkbox
        size="sm"
        label={t("playlists.groups.adult")}
        aria-label={t("playlists.groups.adultOf", { group })}
        description={adult === undefined && adultSuggestion ? t("playlists.groups.adultByName") : undefined}
        checked={adult ?? adultSuggestion}
        onChange={({ currentTarget }) => onChoose(group, { adult: currentTarget.checked })}
      />
    </div>
  );
});
