// What can be done with one row: look, edit, delete, each for whom it is allowed.
import { ActionIcon } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { paths } from "../../app/paths";
import { textAt } from "../../i18n";
import { confirm } from "../../ui/confirm";
import { DeleteIcon, EditIcon, ViewIcon } from "../../ui/icons";
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
  const { t } = useTranslation();
  const { kind } = of;
  const { entity, hasDetails } = contentEntries[kind];
  const may = useMay();
  const remove = useRemove(of);
  const name = of.nameOf(row);
  const view = t("contents.view", { name });
  const edit = t("contents.edit", { name });
  const erase = t("contents.delete", { name });
  const look = { variant: "subtle", color: "gray", size: "lg" } as const;
  return (
    <span className="row-actions">
      {hasDetails && (
        <ActionIcon
          {...look}
          component={Link}
          to={paths.content(kind, row.id)}
          aria-label={view}
          title={view}
          onClick={onLeave}
        >
          <ViewIcon />
        </ActionIcon>
      )}
      {may(`${entity}_UPDATE`) && (
        <ActionIcon
          {...look}
          component={Link}
          to={paths.editContent(kind, row.id)}
          aria-label={edit}
          title={edit}
          onClick={onLeave}
        >
          <EditIcon />
        </ActionIcon>
      )}
      {may(`${entity}_DELETE`) && (
        <ActionIcon {...look} aria-label={erase} title={erase} onClick={() => void remove(row)}>
          <DeleteIcon />
        </ActionIcon>
      )}
    </span>
  );
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
      consequence: consequenceOf(item, name),
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
