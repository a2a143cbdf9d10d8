// What is selected of the reports, and what can be done with it: status with a note, assignee, priority.

import { NativeSelect, Stack, Textarea } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { Priority } from "../../api/enums/Priority.gen";
import { ReportStatus } from "../../api/enums/ReportStatus.gen";
import { rules } from "../../api/rules.gen";
import { optionsOf } from "../../i18n/enums";
import { BulkDialog } from "../../operations/BulkDialog";
import type { PossibleChange } from "../../operations/changes";
import { fieldName, setField, targetOf } from "../../operations/names";
import { type SelectedItems, SelectionBar } from "../../operations/SelectionBar";
import type { Selection } from "../../ui/list/useSelection";
import { issueQueries, issuesKey } from "./queries";

interface ReportSelectionBarProps {
  selection: Selection;
  /** Search and filters of the list, as a request names them. */
  filter: Record<string, unknown>;
  /** How many reports match. */
  total: number | undefined;
}

export default function ReportSelectionBar({ selection, filter, total }: ReportSelectionBarProps) {
  const may = useMay();
  return (
    <SelectionBar
      selection={selection}
      filter={filter}
      total={total}
      mayDelete={may("ISSUES_DELETE")}
      dialog={(items) => <ReportsDialog {...items} />}
    />
  );
}

const resource = "issue-reports";
/** No user name has a hyphen. */
const noUser = "-";

function ReportsDialog(items: SelectedItems) {
  const { t } = useTranslation();
  const assignees = useQuery(issueQueries.assignees());
  const possible = useMemo((): PossibleChange[] => {
    const choices = (assignees.data ?? []).map(({ username, fullName }) => ({
      value: username,
      label: `${fullName} (${username})`,
    }));
    return [
      {
        ...setField(resource, "status"),
        input: ({ values: [status = "", note = ""], onChange }) => (
          <Stack gap="md">
            <NativeSelect
              label={t("operations.value")}
              data={[{ value: "", label: t("operations.choose") }, ...optionsOf(ReportStatus)]}
              value={status}
              onChange={(event) => onChange([event.currentTarget.value, note])}
            />
            <Textarea
              label={fieldName(resource, "notes")}
              description={t("operations.noteHelp")}
              autosize
              minRows={2}
              maxLength={rules.ReportPatch.properties.notes.maxLength}
              value={note}
              onChange={(event) => onChange([status, event.currentTarget.value])}
            />
          </Stack>
        ),
        with: ([status = "", note = ""]) => ({
          type: "SET",
          set: note.trim() ? { status, notes: note.trim() } : { status },
        }),
      },
      {
        ...setField(resource, "assignedTo", [{ value: noUser, label: t("operations.nobody") }, ...choices]),
        with: ([value]) => ({ type: "SET", set: { assignedTo: value === noUser ? null : value } }),
      },
      setField(resource, "priority", optionsOf(Priority)),
    ];
  }, [assignees.data, t]);
  return <BulkDialog of={targetOf(resource, possible, issuesKey)} {...items} />;
}
