// What new rows of an import get in fields for which they have no value.

import { ActionIcon, Button, Group, Select, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { UploadedSpreadsheet } from "../api/resourceFiles";
import { rules } from "../api/rules.gen";
import { CloseIcon } from "../ui/icons";
import "../forms/mantine-forms.css";

export interface RowDefault {
  key: string;
  value: string;
}

interface DefaultValuesProps {
  fields: UploadedSpreadsheet["fields"];
  defaults: RowDefault[];
  onDefaults: (defaults: RowDefault[]) => void;
}

/** A row has these of its own: nothing stands for all of them. */
const ownFields = /^(id|imdbId|username|link\d+_.*)$/;

export function DefaultValues({ fields, defaults, onDefaults }: DefaultValuesProps) {
  const { t } = useTranslation();
  const chosen = defaults.map(({ key }) => key);
  const choices = (own: string) =>
    fields
      .filter(({ key }) => key === own || !(ownFields.test(key) || chosen.includes(key)))
      .map(({ key, heading }) => ({ value: key, label: heading }));
  const nameOf = (wanted: string) => fields.find(({ key }) => key === wanted)?.heading ?? wanted;
  const change = (index: number, next: RowDefault) =>
    onDefaults(defaults.map((own, at) => (at === index ? next : own)));
  const first = choices("")[0];
  return (
    <section aria-label={t("imports.defaults")} className="import-defaults">
      <Text size="sm" fw={600}>
        {t("imports.defaults")}
      </Text>
      <Text size="sm" c="dimmed">
        {t("imports.defaultsWhy")}
      </Text>
      {defaults.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place; a field may change
        <Group key={index} gap="xs" wrap="nowrap">
          <Select
            size="xs"
            flex="1 1 8rem"
            aria-label={t("imports.defaultField", { number: index + 1 })}
            data={choices(one.key)}
            value={one.key}
            onChange={(key) => key && change(index, { ...one, key })}
            allowDeselect={false}
            searchable
          />
          <TextInput
            size="xs"
            flex="2 1 8rem"
            aria-label={t("imports.defaultValue", { field: nameOf(one.key) })}
            maxLength={rules.SheetDefault.properties.value.maxLength}
            value={one.value}
            onChange={(event) => change(index, { ...one, value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("imports.removeDefault", { field: nameOf(one.key) })}
            onClick={() => onDefaults(defaults.filter((_, at) => at !== index))}
          >
            <CloseIcon size={16} />
          </ActionIcon>
        </Group>
      ))}
      {first && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onDefaults([...defaults, { key: first.value, value: "" }])}
          >
            {t("imports.addDefault")}
          </Button>
        </div>
      )}
    </section>
  );
}
