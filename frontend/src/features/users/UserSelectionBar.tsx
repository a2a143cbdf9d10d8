// What is selected of the users, and what admins can do with it: status, agent, role.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { labelOf, optionsOf } from "../../i18n/enums";
import { BulkDialog } from "../../operations/BulkDialog";
import type { PossibleChange } from "../../operations/changes";
import { fieldName, valueName } from "../../operations/names";
import { type SelectedItems, SelectionBar } from "../../operations/SelectionBar";
import type { ListState } from "../../ui/list/useListAddress";
import type { Selection } from "../../ui/list/useSelection";
import { listQuery, userQueries } from "./queries";
import { RegistrarSelect } from "./RegistrarField";

interface UserSelectionBarProps {
  selection: Selection;
  state: ListState;
  /** How many users match. */
  total: number | undefined;
}

export default function UserSelectionBar({ selection, state, total }: UserSelectionBarProps) {
  const { _page, _size, _sort, ...filter } = listQuery(state);
  return (
    <SelectionBar
      selection={selection}
      filter={filter}
      total={total}
      dialog={(items) => <UsersDialog {...items} />}
    />
  );
}

const resource = "users";
const queryKey = ["users"] as const;
/** No user name has a hyphen. */
const nobody = "-";

function UsersDialog(items: SelectedItems) {
  const { t } = useTranslation();
  const roles = useQuery(userQueries.roles());
  const possible = useMemo((): PossibleChange[] => {
    const set = (field: string, options: PossibleChange["options"]): PossibleChange => ({
      key: field,
      label: fieldName(resource, field),
      input: "one",
      options,
      with: ([value = ""]) => ({ type: "SET", set: { [field]: value } }),
    });
    return [
      set("status", optionsOf(UserStatus)),
      {
        ...set("registeredBy", []),
        input: ({ values: [chosen], onChange }) => (
          <RegistrarSelect
            label={t("operations.value")}
            description={t("users.movesSubtrees")}
            chosen={chosen === nobody ? "" : chosen}
            onChoose={(username) => onChange([username || nobody])}
          />
        ),
        with: ([value]) => ({ type: "SET", set: { registeredBy: value === nobody ? null : value } }),
      },
      set(
        "roleCode",
        (roles.data ?? []).map(({ code }) => ({ value: code, label: labelOf(RoleCode, code) })),
      ),
    ];
  }, [roles.data, t]);
  return (
    <BulkDialog
      of={{
        resource,
        possible,
        fieldLabel: (field) => fieldName(resource, field),
        valueLabel: (field, value) => valueName(resource, field, value),
        queryKey,
      }}
      {...items}
    />
  );
}
