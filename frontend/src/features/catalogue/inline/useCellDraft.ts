// What is typed in a cell, until it is saved: checked by the rules of the form, sent with the version that the row had when
// the cell was opened. The list may be read again meanwhile.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lookupKey } from "../../../api/lookups";
import type { Page } from "../../../api/page";
import { messageOf, Problem } from "../../../api/problem";
import { type DraftOf, patchItem } from "../../../api/resources";
import { violationsOf } from "../../../forms/rules";
import { violationText } from "../../../forms/texts";
import { parseInteger } from "../../../forms/typed";
import { forgetPages, rowFieldsOf, withRow } from "../../../operations/changedLists";
import type { ListedKind, Row, Stored } from "../contents";
import { contentKeys, forgetOthers, unwrapped } from "../queries";
import { type CellDefinition, type CellValue, ruleOf, toControl } from "./useCellOptions";

interface ConflictingValues {
  mine: CellValue;
  theirs: CellValue;
  by?: string;
  /** Other changes were stored before theirs, which may be of other users. */
  isOneOfSeveral: boolean;
}

export function useCellDraft<K extends ListedKind>(
  definition: CellDefinition<K>,
  row: Row<K>,
  field: string,
) {
  const { t } = useTranslation();
  const [opened] = useState(row);
  const begun = toControl(fieldOf(opened, field));
  const [value, setValue] = useState(begun);
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const [theirs, setTheirs] = useState<Stored<K>>();
  const put = usePutRow(definition.kind);

  const send = async (version: number, read: unknown): Promise<boolean> => {
    try {
      const changes = { [field]: read } as Partial<DraftOf<K>>;
      put(unwrapped<Stored<K>>(await patchItem(definition.kind, opened.id, version, changes)));
      return true;
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      const current = failure.code === "VERSION_CONFLICT" ? (failure.current as Stored<K>) : undefined;
      // The same value is stored already, by another user or in another tab: there is nothing to choose.
      if (current && isSame(fieldOf(current, field), read)) {
        put(current);
        return true;
      }
      // Another field was changed: this edit is applied to the new version.
      if (current && isSame(fieldOf(current, field), fieldOf(opened, field)) && current.version !== version)
        return send(current.version, read);
      if (current) setTheirs(current);
      else setError(reasonOf(failure, t("cell.gone")));
      return false;
    }
  };

  const isChanged = !isSame(value, begun);

  return {
    value,
    isChanged,
    error,
    isSaving,
    conflict: theirs && conflictOf(value, theirs, field, opened),
    set: (next: CellValue) => {
      setValue(next);
      setError(undefined);
    },
    takeTheirs: () => theirs && put(theirs),
    /** Whether the value is stored now. */
    save: async (): Promise<boolean> => {
      if (!isChanged && !theirs) return true;
      const read = readValue(definition, field, value);
      const [wrong] = violationsOf(ruleOf(definition, field), read, field, true);
      if (wrong) {
        setError(violationText(wrong));
        return false;
      }
      setSaving(true);
      setTheirs(undefined);
      try {
        return await send(theirs?.version ?? opened.version, read);
      } finally {
        setSaving(false);
      }
    },
  };
}

function reasonOf(failure: Problem, gone: string): string {
  if (failure.status === 404) return gone;
  const [violation] = failure.violations;
  return violation?.message ?? messageOf(failure);
}

function conflictOf(
  mine: CellValue,
  theirs: { version: number; updatedBy?: string | null },
  field: string,
  opened: { version: number },
): ConflictingValues {
  return {
    mine,
    theirs: toControl(fieldOf(theirs, field)),
    by: theirs.updatedBy ?? undefined,
    isOneOfSeveral: theirs.version > opened.version + 1,
  };
}

function fieldOf(item: object, field: string): unknown {
  return (item as Record<string, unknown>)[field];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(toControl(one)) === JSON.stringify(toControl(other));
}

function readValue<K extends ListedKind>(
  definition: CellDefinition<K>,
  field: string,
  value: CellValue,
): unknown {
  if (Array.isArray(value)) return value.map(Number);
  if (field === "categoryId") return Number(value);
  if (ruleOf(definition, field).type === "boolean") return value === "true";
  return parseInteger(value);
}

/** Shows what was saved in the lists that have the row, with the category's name. */
function usePutRow<K extends ListedKind>(kind: K) {
  const client = useQueryClient();
  const lists = { queryKey: contentKeys.lists(kind) };
  return (saved: Stored<K>) => {
    const categoryId = categoryIdOf(saved);
    const category = client
      .getQueriesData<Page<Row<"categories">>>({ queryKey: lookupKey("categories") })
      .flatMap(([, page]) => page?.content ?? [])
      .find(({ id }) => id === categoryId);
    client.setQueriesData<Page<Row<K>>>(lists, (page) =>
      withRow<Row<K>, Page<Row<K>>>(
        page,
        (row) => row.id === saved.id,
        (row) => ({ ...row, ...rowFieldsOf(saved, row), ...(category && { category }) }),
      ),
    );
    void client.invalidateQueries({ queryKey: contentKeys.one(kind, saved.id) });
    forgetOthers(client, kind);
    forgetPages(client, lists.queryKey);
  };
}

function categoryIdOf(item: object): number | undefined {
  const { categoryId, categories } = item as { categoryId?: number; categories?: number[] };
  return categoryId ?? categories?.[0];
}
