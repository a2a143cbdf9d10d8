// Changing one's own password: the current one, and the new one twice. This session stays signed in.
import { Alert, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { FailureAlert } from "../../ui/FailureAlert";
import { CheckIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";
import { PasswordField } from "./PasswordField";
import "./password.css";
import { RequirementList } from "./RequirementList";
import type { Field } from "./requirements";
import { usePasswordChange } from "./usePasswordChange";

const fields = [
  { field: "current", text: "password.current", name: "current-password" },
  { field: "next", text: "password.new", name: "new-password" },
  { field: "confirmation", text: "password.confirm", name: "new-password" },
] as const;

export default function ChangePasswordPage() {
  const { t } = useTranslation();
  const { username } = useUser();
  const { passwords, errorOf, failure, isDone, isBusy, isReady, type, leave, submit } = usePasswordChange();
  const inputs = useRef<Partial<Record<Field, HTMLInputElement | null>>>({});

  // Not before the fields are empty: leaving one that is full would validate it.
  useEffect(() => {
    if (isDone) inputs.current.current?.focus();
  }, [isDone]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    const field = await submit();
    if (field) inputs.current[field]?.focus();
  };

  return (
    <>
      <PageHeading title={t("password.title")} />
      <form className="password-form" onSubmit={send} noValidate>
        {/* For password managers: whose password this is. */}
        <input
          className="visually-hidden"
          name="username"
          autoComplete="username"
          value={username}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <div className="password-fields">
          {fields.map(({ field, text, name }) => (
            <PasswordField
              key={field}
              label={t(text)}
              autoComplete={name}
              value={passwords[field]}
              error={errorOf(field)}
              inputRef={(input) => {
                inputs.current[field] = input;
              }}
              onChange={(typed) => type(field, typed)}
              onLeave={() => leave(field)}
            />
          ))}
        </div>
        <RequirementList passwords={passwords} />
        <div className="password-foot">
          <FailureAlert title={failure?.title ?? ""}>{failure?.message}</FailureAlert>
          <output>
            {isDone && (
              <Alert color="teal" variant="light" icon={<CheckIcon />} className="password-done">
                {t("password.done")}
              </Alert>
            )}
          </output>
          <Button type="submit" disabled={!isReady} aria-disabled={isBusy}>
            {isBusy ? t("password.busy") : t("password.submit")}
          </Button>
          <span className="quiet">{t("password.help")}</span>
        </div>
      </form>
    </>
  );
}
