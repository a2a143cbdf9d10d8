// The password of a user whom the signed-in user manages, on the edit page: who changed it last, and resetting it.
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatMoment } from "../../i18n/formats";
import { FormSection } from "../../ui/FormSection";
import { ResetPasswordDialog } from "./ResetPasswordDialog";
import type { User } from "./user";

export default function PasswordSection({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { passwordChangedDate: date, passwordChangedBy: by } = user;
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
      {isOpen && <ResetPasswordDialog user={user} onClose={() => setOpen(false)} />}
    </div>
  );
}
