// What is selected of the users, and what admins can do with it: status, agent, role.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { labelOf, optionsOf } from "../../i18n/enums";
import { BulkDialog } from "../../operations/BulkDialog";
import type { PossibleChange } from "../../operations/changes";
import { setField, targetOf } from "../../operations/names";
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
const noUser = "-";

function UsersDialog(items: SelectedItems) {
  const { t } = useTranslation();
  const roles = useQuery(userQueries.roles());
  const possible = useMemo((): PossibleChange[] => {
    return [
      setField(resource, "status", optionsOf(UserStatus)),
      {
        ...setField(resource, "registeredBy"),
        input: ({ values: [chosen], onChange }) => (
          <RegistrarSelect
            label={t("operations.value")}
            description={t("users.movesSubtrees")}
            chosen={chosen === noUser ? "" : chosen}
            onChoose={(username) => onChange([username || noUser])}
          />
        ),
        with: ([value]) => ({ type: "SET", set: { registeredBy: value === noUser ? null : value } }),
      },
      {
        ...setField(
          resource,
          "roleCode",
          (roles.data ?? []).map(({ code }) => ({ value: code, label: labelOf(RoleCode, code) })),
        ),
        helpOf: (role) =>
          role === "app" ? undefined : t("users.passwordsEnd", { role: labelOf(RoleCode, "app") }),
      },
    ];
  }, [roles.data, t]);
  return <BulkDialog of={targetOf(resource, possible, queryKey)} {...items} />;
}
