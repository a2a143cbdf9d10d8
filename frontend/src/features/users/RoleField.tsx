// The role of a user, among those that the caller may give.
import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { useChoiceKeys } from "../../forms/useChoiceKeys";
import { useField } from "../../forms/useDraftForm";
import { labelOf } from "../../i18n/enums";
import { userQueries } from "./queries";
import "../../forms/mantine-forms.css";

export function RoleField({ isFixed = false }: { isFixed?: boolean }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>("roleCode");
  const keys = useChoiceKeys(value);
  const roles = useQuery({ ...userQueries.roles(), enabled: !isFixed });
  const codes = isFixed && value ? [value] : (roles.data?.map((role) => role.code) ?? []);
  const placeholder = roles.isError
    ? t("form.loadFailed")
    : roles.isPending
      ? t("form.loading")
      : codes.length === 0
        ? t("form.noOptions")
        : t("form.choose");
  return (
    <div>
      <Select
        {...input}
        description={value ? t(`users.roles.${value as keyof typeof RoleCode}`) : input.description}
        inputWrapperOrder={["label", "input", "description", "error"]}
        // The words are the panel's own: they follow the language at once.
        data={codes.map((code) => ({ value: code, label: labelOf(RoleCode, code) }))}
        placeholder={placeholder}
        nothingFoundMessage={codes.length === 0 ? placeholder : t("form.nothingFound")}
        {...keys}
        error={input.error ?? (roles.isError ? t("form.loadFailed") : undefined)}
        disabled={isFixed}
        value={codes.length > 0 ? value || null : null}
        onChange={change}
      />
      {roles.isError && (
        <Button size="compact-xs" variant="subtle" onClick={() => void roles.refetch()}>
          {t("common.retry")}
        </Button>
      )}
    </div>
  );
}
