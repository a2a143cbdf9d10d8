// The password of somebody whom the caller manages, on their edit page: who changed it last, and resetting it.
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatMoment } from "../../i18n/formats";
import { FormSection } from "../../ui/FormSection";
import type { Person } from "./people";
import { ResetPasswordDialog } from "./ResetPasswordDialog";

export default function PasswordSection({ person }: { person: Person }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { passwordChangedDate: date, passwordChangedBy: by } = person;
  return (
    <div className="user-password">
      <FormSection title={t("users.fields.password")}>
        <p className="quiet">
          {!date
            ? t("users.reset.neverChanged")
            : by
              ? t("users.reset.changedBy", { date: formatMoment(date), by })
              : t("users.reset.changedOnServer", { date: formatMoment(date) })}
        </p>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("users.reset.open")}
        </Button>
      </FormSection>
      {isOpen && <ResetPasswordDialog person={person} onClose={() => setOpen(false)} />}
    </div>
  );
}
