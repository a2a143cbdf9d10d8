// Whose statement: an agent, found by name. Its own options, because there may be thousands of agents.
import { Loader, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import "../../forms/mantine-forms.css";
import { statementQueries } from "./queries";

type Named = components["schemas"]["Named"];

interface AgentFieldProps {
  /** The agent whose statement is shown, or the name alone until it is here. */
  agent: Named | undefined;
  /** An agent's own account: it is not among its agents. */
  own?: Named;
  onChoose: (username: string) => void;
}

const label = ({ fullName, username }: Named) => `${fullName} (${username})`;

export function AgentField({ agent, own, onChoose }: AgentFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const chosen = agent && label(agent);
  const [search] = useDebouncedValue(typed === chosen ? "" : typed.trim(), 250);
  const agents = useQuery(statementQueries.agents(search));
  const options = [...(agents.data?.content ?? [])] as Named[];
  for (const one of [own, agent])
    if (one && !options.some(({ username }) => username === one.username)) options.unshift(one);
  return (
    <Select
      className="statement-agent"
      label={t("statements.agent")}
      placeholder={t("statements.chooseAgent")}
      nothingFoundMessage={agents.isFetching ? t("statements.searching") : t("statements.noAgent")}
      error={agents.isError && messageOf(agents.error)}
      rightSection={agents.isFetching ? <Loader size="xs" /> : undefined}
      data={options.map((one) => ({ value: one.username, label: label(one) }))}
      // The server searched.
      filter={({ options }) => options}
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      searchValue={typed}
      onSearchChange={setTyped}
      value={agent?.username ?? null}
      onChange={(username) => username && onChoose(username)}
    />
  );
}
