// The assignee of a report: a member of staff, or none.
import { NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { t } from "../../i18n";
import { issueQueries, type Target } from "./queries";

/** The value of a choice before anything is chosen. No user name is that short. */
export const unchosen = "?";

export function unchosenOption() {
  return { value: unchosen, label: t("issues.choose"), disabled: true };
}

interface AssigneeFieldProps {
  target: Target;
  /** Empty for none, undefined until it is chosen. */
  value: string | undefined;
  onChange: (username: string) => void;
  /** The first field of a dialog, which gives it the focus. */
  isFirst?: boolean;
}

export function AssigneeField({ target, value, onChange, isFirst }: AssigneeFieldProps) {
  const { t } = useTranslation();
  const assignees = useQuery(issueQueries.assignees());
  const options = (assignees.data ?? []).map(({ username, fullName }) => ({
    value: username,
    label: `${fullName} (${username})`,
  }));
  // The current assignee stays an option, even if deleted or demoted.
  if (value && !options.some((option) => option.value === value)) options.unshift({ value, label: value });
  // A report in progress needs an assignee.
  const mayBeUnassigned = target.is === "group" || target.report.status !== "EN_PROGRESO" || value === "";
  return (
    <NativeSelect
      label={t("issues.fields.assignedTo")}
      description={assignees.isError ? undefined : assignees.isPending ? t("common.loading") : undefined}
      error={assignees.isError && messageOf(assignees.error)}
      data={[
        ...(value === undefined ? [unchosenOption()] : []),
        ...(mayBeUnassigned ? [{ value: "", label: t("issues.nobody") }] : []),
        ...options,
      ]}
      value={value ?? unchosen}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus={isFirst || undefined}
    />
  );
}
