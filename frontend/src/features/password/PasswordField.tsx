// A password as it is typed, hidden until somebody shows it.
import { ActionIcon, TextInput } from "@mantine/core";
import { type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { HideIcon, ViewIcon } from "../../ui/icons";

interface PasswordFieldProps {
  label: string;
  autoComplete: "current-password" | "new-password";
  value: string;
  error: string | undefined;
  inputRef: Ref<HTMLInputElement>;
  onChange: (text: string) => void;
  onLeave: () => void;
}

export function PasswordField({ label, inputRef, onChange, onLeave, ...rest }: PasswordFieldProps) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const verb = isShown ? t("password.hide", { field: label }) : t("password.show", { field: label });
  return (
    <TextInput
      {...rest}
      type={isShown ? "text" : "password"}
      label={label}
      required
      withAsterisk
      autoCapitalize="none"
      spellCheck={false}
      ref={inputRef}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={onLeave}
      rightSection={
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={verb}
          title={verb}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <HideIcon /> : <ViewIcon />}
        </ActionIcon>
      }
    />
  );
}
