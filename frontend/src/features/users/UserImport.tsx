// Imports users from a spreadsheet, also from another panel: for admins.
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import ImportButton from "../../imports/ImportButton";
import { fieldName, valueName } from "../../operations/names";

const resource = "users" as const;

export default function UserImport() {
  const { t } = useTranslation();
  const target = useMemo(
    () => ({
      resource,
      note: t("imports.users"),
      lists: [resource],
      oftenMissing: ["email", "phoneNumber"],
      fieldLabel: (field: string) => fieldName(resource, field === "role" ? "roleCode" : field),
      valueLabel: valueName,
    }),
    [t],
  );
  return <ImportButton target={target} />;
}
