// The actions of an entry: edit, and delete after a confirmation that names it.
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm";
import { DeleteIcon, EditIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { type EntryList, useDeleteEntry } from "./queries";
import { useSettingsAddress } from "./useSettingsAddress";

interface EntryActionsProps {
  list: EntryList;
  entry: { id: number; version: number };
  name: string;
}

const longest = 60;

export function EntryActions({ list, entry: { id, version }, name }: EntryActionsProps) {
  const { t } = useTranslation();
  const { edit } = useSettingsAddress();
  const deleting = useDeleteEntry(list);
  const letters = [...name];
  const short = letters.length > longest ? `${letters.slice(0, longest).join("").trimEnd()}…` : name;
  const remove = async () => {
    const goesAhead = await confirm({
      title: t(`appSettings.${list}.deleteTitle`),
      consequence: t(`appSettings.${list}.deleteConsequence`, { name: short }),
      verb: t("common.delete"),
    });
    if (goesAhead) deleting.mutate({ id, version });
  };
  return (
    <ActionButtons
      name={short}
      actions={[
        {
          label: t("appSettings.editOf", { name: short }),
          verb: t("common.edit"),
          Icon: EditIcon,
          onClick: () => edit(id),
        },
        {
          label: t("appSettings.deleteOf", { name: short }),
          verb: t("common.delete"),
          Icon: DeleteIcon,
          onClick: () => void remove(),
        },
      ]}
    />
  );
}
