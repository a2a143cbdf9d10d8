// The groups of a list that a filter can choose: thousands, of which one is found by its name.
import { Radio, Stack, TextInput } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import type { FilterPanelProps } from "../../ui/list/filter";
import { plain } from "../../ui/plain";

/** Groups that are shown at once. */
const shownGroups = 50;

export function GroupChoices({ choice: { key, label, options }, values, onChange }: FilterPanelProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState("");
  const found = options.filter((option) => plain(option.label).includes(plain(search)));
  const more = found.length - shownGroups;
  return (
    <Stack gap="xs">
      <TextInput
        size="xs"
        aria-label={t("playlists.groups.search")}
        placeholder={t("playlists.groups.search")}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <fieldset className="filter-options">
        <legend className="visually-hidden">{label}</legend>
        {found.slice(0, shownGroups).map((option) => (
          <Radio
            key={option.value}
            name={key}
            label={option.label}
            checked={values[key] === option.value}
            onChange={() => onChange({ [key]: option.value })}
          />
        ))}
        {found.length === 0 && <p className="quiet">{t("form.nothingFound")}</p>}
        {more > 0 && (
          <p className="quiet">{t("playlists.groups.more", { count: more, number: formatNumber(more) })}</p>
        )}
      </fieldset>
    </Stack>
  );
}
