// A password field whose text can be shown.
import { ActionIcon, TextInput } from "@mantine/core";
import { type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { icon, ViewIcon } from "../../ui/icons";

const HideIcon = icon(
  <path d="M4 4l16 16M9 5.500a10 10 0 0 1 3-.5c6 0 10 7 10 7a17 17 0 0 1-3 3.600M6 7a17 17 0 0 0-4 5s4 7 10 7a10 10 0 0 0 5-1.300" />,
);

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
