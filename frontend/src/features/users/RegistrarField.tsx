// Beneath whom a user is: an agent, found by name, or nobody. Says what another choice means before it is saved.
import { Loader, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { useField } from "../../forms/useDraftForm";
import { isSame, type Person } from "./people";
import { userQueries } from "./queries";

export function RegistrarField({ person }: { person: Person }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>("registeredBy");
  const moves = (value ?? "") !== (person.registeredBy ?? "");
  const movesSubtree = person.role.code === "agent";
  return (
    <RegistrarSelect
      {...input}
      description={
        moves
          ? [movesSubtree && t("users.movesSubtree"), person.registeredBy && t("users.losesSight")]
              .filter(Boolean)
              .join(" ") || undefined
          : undefined
      }
      except={person.username}
      chosen={value ?? ""}
      known={[value, person.registeredBy]}
      onChoose={(username) => change(username || null)}
    />
  );
}

interface RegistrarSelectProps {
  label?: string;
  description?: string;
  error?: string;
  /** Nobody is beneath themselves. */
  except?: string;
  /** Their user name, or nothing for nobody; undefined until one is chosen. */
  chosen: string | undefined;
  /** User names that are offered although they may be no agent's. */
  known?: (string | null | undefined)[];
  onChoose: (username: string) => void;
}

/** Its own options, because there may be thousands of agents. */
export function RegistrarSelect({
  except,
  chosen,
  known = [],
  onChoose,
  error,
  ...input
}: RegistrarSelectProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [names, setNames] = useState<Record<string, string>>({});
  const nobody = t("users.nobody");
  const nameOf = (username: string) => names[username] ?? username;
  const current = chosen === undefined ? "" : chosen ? nameOf(chosen) : nobody;
  const [search] = useDebouncedValue(typed === current ? "" : typed.trim(), 250);
  const agents = useQuery(userQueries.agents(search));
  const options = (agents.data?.content ?? [])
    .filter(({ username }) => !except || !isSame(username, except))
    .map(({ username, fullName }) => ({ value: username, label: `${fullName} (${username})` }));
  for (const username of known)
    if (username && !options.some((option) => isSame(option.value, username)))
      options.unshift({ value: username, label: nameOf(username) });
  return (
    <Select
      label={t("users.columns.registeredBy")}
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={error ?? (agents.isError && messageOf(agents.error))}
      placeholder={t("form.choose")}
      nothingFoundMessage={agents.isFetching ? t("form.loading") : t("form.nothingFound")}
      rightSection={agents.isFetching ? <Loader size="xs" /> : undefined}
      data={[{ value: "", label: nobody }, ...options]}
      // The server searched.
      filter={({ options }) => options}
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      searchValue={typed}
      onSearchChange={setTyped}
      value={chosen ?? null}
      onChange={(username, option) => {
        if (username === null) return;
        if (username && option) setNames({ ...names, [username]: option.label });
        onChoose(username);
      }}
    />
  );
}
