// The registrar of a user: an agent, found by name, or none. Shows the consequences of a change before it is saved.
import { useTranslation } from "react-i18next";
import { SearchedSelect } from "../../forms/SearchedSelect";
import { useField } from "../../forms/useDraftForm";
import { userQueries } from "./queries";
import { isSame, type User } from "./user";

export function RegistrarField({ user }: { user: User }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>("registeredBy");
  const moves = (value ?? "") !== (user.registeredBy ?? "");
  const movesSubtree = user.role.code === "agent";
  return (
    <RegistrarSelect
      {...input}
      description={
        moves
          ? [movesSubtree && t("users.movesSubtree"), user.registeredBy && t("users.losesSight")]
              .filter(Boolean)
              .join(" ") || undefined
          : undefined
      }
      except={user.username}
      chosen={value ?? ""}
      known={[value, user.registeredBy]}
      onChoose={(username) => change(username || null)}
    />
  );
}

interface RegistrarSelectProps {
  label?: string;
  description?: string;
  error?: string;
  /** A user can't be their own registrar. */
  except?: string;
  /** The user name, empty for none; undefined until one is chosen. */
  chosen: string | undefined;
  /** User names among the options although they may be no agent's. */
  known?: (string | null | undefined)[];
  onChoose: (username: string) => void;
}

export function RegistrarSelect({ except, chosen, known = [], ...input }: RegistrarSelectProps) {
  const { t } = useTranslation();
  return (
    <SearchedSelect
      label={t("users.columns.registeredBy")}
      {...input}
      query={userQueries.agents}
      optionOf={({ username, fullName }) =>
        except && isSame(username, except)
          ? undefined
          : { value: username, label: `${fullName} (${username})` }
      }
      known={[
        { value: "", label: t("users.nobody") },
        ...known.flatMap((username) => (username ? { value: username, label: username } : [])),
      ]}
      value={chosen ?? null}
    />
  );
}
