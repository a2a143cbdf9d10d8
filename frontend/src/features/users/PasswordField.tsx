// The password of a new user, which can be shown while typing: staff read it to the user.
import { PasswordInput } from "@mantine/core";
import "@mantine/core/styles/PasswordInput.layer.css";
import { useDisclosure } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { useField, useValue } from "../../forms/useDraftForm";

export function PasswordField() {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>("password");
  const isStaff = useValue<string | null>("roleCode") !== "app";
  const [isShown, shown] = useDisclosure(false);
  return (
    <PasswordInput
      {...input}
      description={isStaff ? t("users.password.staff") : t("users.password.app")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      // Not the password of the signed-in user.
      autoComplete="new-password"
      visible={isShown}
      onVisibilityChange={shown.toggle}
      visibilityToggleButtonProps={{
        "aria-label": isShown ? t("users.password.hide") : t("users.password.show"),
        tabIndex: 0,
      }}
      value={value ?? ""}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
