// The fields of a user, in the forms that create and edit.
import { useTranslation } from "react-i18next";
import { UserLanguage } from "../../api/enums/UserLanguage.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { FormSection } from "../../ui/FormSection";
import type { UserEdit } from "./user";

const { Text, LongText, Choice } = fieldsOf<UserEdit>();

export function UserFields() {
  const { t } = useTranslation();
  return (
    <FormSection title={t("users.sections.personal")}>
      <div className="form-grid">
        <Text name="fullName" autoComplete="off" />
        <div data-span="6">
          <Text name="email" type="email" autoComplete="off" />
        </div>
        <div data-span="6">
          <Text name="phoneNumber" type="tel" autoComplete="off" placeholder="+34 600 123 456" />
        </div>
        <div data-span="6">
          <Choice name="language" of={UserLanguage} />
        </div>
        <Text name="address" autoComplete="off" />
        <LongText name="comment" rows={3} />
      </div>
    </FormSection>
  );
}
