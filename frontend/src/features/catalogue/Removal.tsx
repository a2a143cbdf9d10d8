// Deletes an item: confirms first, saying what goes with it, and deletes the version that was shown. What others refer
// to is moved first, without a question.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Kind } from "../../access/kinds";
import { t, textAt } from "../../i18n";
import { confirm } from "../../ui/confirm";
import type { Row, Stored } from "./contents";
import type { ContentDefinition } from "./define";
import { InUseDialog } from "./InUseDialog";
import { contentQueries } from "./queries";
import { type Shared, type Usage, usageOf, useDeleteContent } from "./uses";

interface RemovalProps<K extends Kind> {
  definition: ContentDefinition<K>;
  row: Row<K>;
  onDone: () => void;
  onDeleted: (id: number) => void;
}

export default function Removal<K extends Kind>({ definition, row, onDone, onDeleted }: RemovalProps<K>) {
  const { kind } = definition;
  const client = useQueryClient();
  const remove = useDeleteContent(kind, onDeleted);
  const [inUse, setInUse] = useState<Usage>();
  const name = definition.nameOf(row);

  const ask = async () => {
    if (kind === "categories" || kind === "tv-guides") {
      const usage = await usageOf(client, kind, row.id);
      if (usage) return setInUse(usage);
    }
    // A row does not say how many links it has. If the item cannot be read, the question leaves the number out.
    const item = await client.fetchQuery(contentQueries.one(kind, row.id)).catch(() => undefined);
    const goesAhead = await confirm({
      title: textAt(`contents.${kind}.deleteTitle`),
      consequence: definition.willDelete ? await definition.willDelete(row) : consequenceOf(item, name),
      verb: t("common.delete"),
    });
    if (goesAhead) remove.mutate({ id: row.id, version: item?.version ?? row.version, name });
    onDone();
  };
  const begin = useRef(ask);
  useEffect(() => void begin.current(), []);

  if (!inUse) return null;
  return (
    <InUseDialog
      kind={kind as Shared}
      id={row.id}
      version={row.version}
      type={"type" in row ? row.type : undefined}
      name={name}
      usage={inUse}
      onClose={onDone}
      onDeleted={onDeleted}
    />
  );
}

function consequenceOf(item: Stored | undefined, name: string): string {
  const links = item && "links" in item ? item.links.length : 0;
  return links > 0
    ? t("contents.willDeleteWithLinks", { name, count: links })
    : t("contents.willDelete", { name });
}
