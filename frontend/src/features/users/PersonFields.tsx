// The fields of a person, in the forms that create and edit.
import { useTranslation } from "react-i18next";
import { fieldsOf } from "../../forms/fieldsOf";
import { FormSection } from "../../ui/FormSection";
import type { PersonEdit } from "./people";

const { Text, LongText } = fieldsOf<PersonEdit>();

export function PersonFields() {
  const { t } = useTranslation();
  return (
    <FormSection title={t("users.sections.person")}>
      <div className="form-grid">
        <Text name="fullName" autoComplete="off" />
        <div data-span="6">
          <Text name="email" type="email" autoComplete="off" />
        </div>
        <div data-span="6">
          <Text name="phoneNumber" type="tel" autoComplete="off" placeholder="+34 600 123 456" />
        </div>
        <Text name="address" autoComplete="off" />
        <LongText name="comment" rows={3} />
      </div>
    </FormSection>
  );
}
