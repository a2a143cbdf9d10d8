// Whose statement: an agent, found by name.
import { useTranslation } from "react-i18next";
import type { components } from "../../api/schema.gen";
import { SearchedSelect } from "../../forms/SearchedSelect";
import { statementQueries } from "./queries";

type Named = components["schemas"]["Named"];

interface AgentFieldProps {
  /** The agent whose statement is shown, or the name alone until it is here. */
  agent: Named | undefined;
  /** An agent's own account: it is not among its agents. */
  own?: Named;
  onChoose: (username: string) => void;
}

const optionOf = ({ fullName, username }: Named) => ({ value: username, label: `${fullName} (${username})` });

export function AgentField({ agent, own, onChoose }: AgentFieldProps) {
  const { t } = useTranslation();
  return (
    <SearchedSelect
      className="statement-agent"
      label={t("statements.agent")}
      placeholder={t("statements.chooseAgent")}
      nothingFoundMessage={t("statements.noAgent")}
      query={statementQueries.agents}
      optionOf={optionOf}
      known={[agent, own].flatMap((one) => (one ? optionOf(one) : []))}
      value={agent?.username ?? null}
      onChoose={onChoose}
    />
  );
}
