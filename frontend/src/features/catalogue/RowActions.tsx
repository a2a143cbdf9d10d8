// What can be done with one row: view, edit, delete, each for whom it is allowed.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { paths } from "../../app/paths";
import { textAt } from "../../i18n";
import { confirm } from "../../ui/confirm";
import { DeleteIcon, EditIcon, ViewIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import type { Row, Stored } from "./contents";
import type { ContentDefinition } from "./define";
import { contentEntries, type Kind } from "./kinds";
import { contentQueries, useDeleteContent } from "./queries";

interface RowActionsProps<K extends Kind> {
  of: ContentDefinition<K>;
  row: Row<K>;
  onLeave: () => void;
}

export function RowActions<K extends Kind>({ of, row, onLeave }: RowActionsProps<K>) {
  return <ActionButtons name={of.nameOf(row)} actions={useActions(of, row, onLeave)} />;
}

function useActions<K extends Kind>(of: ContentDefinition<K>, row: Row<K>, onLeave: () => void): Action[] {
  const { t } = useTranslation();
  const { kind } = of;
  const { entity, hasDetails } = contentEntries[kind];
  const may = useMay();
  const remove = useRemove(of);
  const name = of.nameOf(row);
  const offered: [boolean | undefined, Action][] = [
    [
      hasDetails,
      {
        ...(of.open?.(row) ?? { label: t("contents.view", { name }), to: paths.content(kind, row.id) }),
        verb: t("common.view"),
        Icon: ViewIcon,
        onClick: onLeave,
      },
    ],
    [
      may(`${entity}_UPDATE`),
      {
        label: t("contents.edit", { name }),
        verb: t("common.edit"),
        Icon: EditIcon,
        to: paths.editContent(kind, row.id),
        onClick: onLeave,
      },
    ],
    [
      may(`${entity}_DELETE`),
      {
        label: t("contents.delete", { name }),
        verb: t("common.delete"),
        Icon: DeleteIcon,
        onClick: () => void remove(row),
      },
    ],
  ];
  return offered.filter(([isOffered]) => isOffered).map(([, action]) => action);
}

/** Asks first, saying what goes with the item; then deletes the version that was spoken of. */
function useRemove<K extends Kind>(of: ContentDefinition<K>) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remove = useDeleteContent(of.kind);
  return async (row: Row<K>) => {
    const name = of.nameOf(row);
    // A row does not say how many links it has. If the item cannot be read, the question is asked without.
    const item = await client.fetchQuery(contentQueries.one(of.kind, row.id)).catch(() => undefined);
    const goesAhead = await confirm({
      title: textAt(`contents.${of.kind}.deleteTitle`),
      consequence: of.willDelete ? await of.willDelete(row) : consequenceOf(item, name),
      verb: t("common.delete"),
    });
    if (goesAhead) remove.mutate({ id: row.id, version: item?.version ?? row.version, name });
  };

  function consequenceOf(item: Stored<K> | undefined, name: string): string {
    const links = item && "links" in item ? item.links.length : 0;
    return links > 0
      ? t("contents.willDeleteWithLinks", { name, count: links })
      : t("contents.willDelete", { name });
  }
}
