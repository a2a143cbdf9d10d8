// What can be done with one user of the list, each for whom it is allowed.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { messageOf } from "../../api/problem";
import { paths } from "../../routing/paths";
import { confirm } from "../../ui/confirm";
import { DeleteIcon, EditIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import { toast } from "../../ui/toast";
import { CreditsIcon, HistoryIcon, PasswordIcon } from "./icons";
import { useDeleteUser, userQueries } from "./queries";
import { type Allowed, allowedWith, type UserRow } from "./user";

interface UserActionsProps {
  row: UserRow;
  onLeave: () => void;
  onCredits: () => void;
  onPassword: () => void;
  onDeleted: (username: string) => void;
}

export function UserActions({ row, onLeave, onCredits, onPassword, onDeleted }: UserActionsProps) {
  const { t } = useTranslation();
  const allowed = allowedWith(useUser(), row);
  const remove = useRemove(onDeleted);
  const { username, fullName: name } = row;
  const actions: Record<Exclude<keyof Allowed, "toggle">, Action> = {
    edit: {
      label: t("users.edit", { name }),
      verb: t("common.edit"),
      Icon: EditIcon,
      to: paths.editUser(username),
      onClick: onLeave,
    },
    credits: {
      label: t("users.credits", { name }),
      verb: t("users.creditsVerb"),
      Icon: CreditsIcon,
      onClick: onCredits,
    },
    history: {
      label: t("users.history", { name }),
      verb: t("users.historyVerb"),
      Icon: HistoryIcon,
      to: paths.creditsHistoryOf(username),
      onClick: onLeave,
    },
    password: {
      label: t("users.reset.of", { name }),
      verb: t("users.reset.open"),
      Icon: PasswordIcon,
      onClick: onPassword,
    },
    remove: {
      label: t("users.delete", { name }),
      verb: t("common.delete"),
      Icon: DeleteIcon,
      onClick: () => void remove(row),
    },
  };
  const available = (Object.keys(actions) as (keyof typeof actions)[]).filter((action) => allowed[action]);
  return <ActionButtons name={name} actions={available.map((action) => actions[action])} />;
}

/** Asks first, then deletes the version that was shown: a row has none, so the user is read anew. */
export function useRemove(onDeleted?: (username: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remove = useDeleteUser(onDeleted);
  /** `then` is called only while the calling component is mounted. */
  return async ({ username, fullName: name }: Pick<UserRow, "username" | "fullName">, then?: () => void) => {
    const goesAhead = await confirm({
      title: t("users.deleteTitle"),
      consequence: t("users.willDelete", { name, username }),
      verb: t("common.delete"),
    });
    if (!goesAhead) return;
    try {
      remove.mutate(await client.fetchQuery(userQueries.one(username)), { onSuccess: then });
    } catch (error) {
      toast.failure(t("users.notDeleted", { name }), messageOf(error));
    }
  };
}
