// The fields of a source, in the forms that create and edit.
import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AutomaticApply } from "../../api/enums/AutomaticApply.gen";
import { RadioGenre } from "../../api/enums/RadioGenre.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { CategoryField } from "../../forms/StoredFields";
import { useField } from "../../forms/useDraftForm";
import { optionsOf } from "../../i18n/enums";
import { FormSection } from "../../ui/FormSection";
import type { SourceDraft } from "./queries";
import "../../forms/mantine-forms.css";

const { Text, Amount, Flag } = fieldsOf<SourceDraft>();

export function PlaylistFields() {
  const { t } = useTranslation();
  return (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={t("playlists.sections.list")}>
          <div className="form-grid">
            <Text name="title" autoComplete="off" />
            <Text name="url" type="url" autoComplete="off" placeholder={t("playlists.urlExample")} />
            <Amount name="refreshHours" />
            <Options name="automatic" options={optionsOf(AutomaticApply)} />
            <Flag name="active" />
          </div>
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={t("playlists.sections.channels")}>
          <div className="form-grid">
            <CategoryField name="defaultCategoryId" of="TV_CHANNEL" />
            <Amount name="firstNumber" />
          </div>
        </FormSection>
        <FormSection title={t("playlists.sections.radio")}>
          <div className="form-grid">
            <Text name="radioCountry" autoComplete="off" />
            <Options name="radioGenre" options={optionsOf(RadioGenre)} clearable />
          </div>
        </FormSection>
      </div>
    </div>
  );
}

interface OptionsProps {
  name: "automatic" | "radioGenre";
  options: { value: string; label: string }[];
  clearable?: boolean;
}

function Options({ name, options, clearable = false }: OptionsProps) {
  const { value, change, input } = useField<string | null>(name);
  const { t } = useTranslation();
  return (
    <Select
      {...input}
      data={options}
      allowDeselect={false}
      clearable={clearable}
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      value={value ?? null}
      onChange={change}
    />
  );
}
