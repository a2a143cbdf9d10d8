// The agent of a filter: found by name. Agents also choose themselves, whom their list does not have.
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { SearchedSelect } from "../../forms/SearchedSelect";
import type { FilterPanelProps } from "../../ui/list/filter";
import { userQueries } from "./queries";

export default function AgentFilter({ choice: { key, label }, values, onChange }: FilterPanelProps) {
  const caller = useUser();
  return (
    <SearchedSelect
      label={label}
      isInPanel
      query={userQueries.agents}
      optionOf={({ username, fullName }) => ({ value: username, label: `${fullName} (${username})` })}
      known={isAdmin(caller) ? [] : [{ value: caller.username, label: caller.username }]}
      value={values[key] || null}
      onChoose={(username) => onChange({ [key]: username })}
    />
  );
}
