// What was deleted and can still be restored.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { contentEntries, kinds } from "../../../access/kinds";
import { useMay } from "../../../access/session";
import { call } from "../../../api/client";
import { freshness } from "../../../api/queryClient";
import type { components } from "../../../api/schema.gen";
import { itemName } from "../../../history/itemName";
import { loadTexts, textAt } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { lazyPart } from "../../../loading/lazyPart";
import { ActionButtons } from "../../../ui/list/ActionButtons";
import { answerOf } from "../../../ui/list/answer";
import type { Column } from "../../../ui/list/columns";
import { ListExport } from "../../../ui/list/export/ListExport";
import { ListScreen } from "../../../ui/list/ListScreen";
import { listQuery } from "../../../ui/list/listQuery";
import { seldomShown } from "../../../ui/list/seldomShown";
import { useInLanguage } from "../../../ui/list/useInLanguage";
import { useListAddress } from "../../../ui/list/useListAddress";
import { useSelection } from "../../../ui/list/useSelection";
import { Dash, Moment } from "../../../ui/values";
import type { RecordedKind } from "../history/labels";
import { trashKey } from "../queries";
import { RestoreDialog } from "./RestoreDialog";
import { RestoreIcon } from "./RestoreIcon";
import { useRestore } from "./useRestore";

type Entry = components["schemas"]["TrashEntry"] & { id: string };

const DayRange = seldomShown(() => import("../../../forms/DayRange"));
const TrashSelectionBar = lazyPart(
  async () => (await Promise.all([import("./TrashSelectionBar"), loadTexts("operations")]))[0],
);

const defaults = { name: "trash", size: 25, filters: ["kind", "deletedDateFrom", "deletedDateTo"] };

/** The filters of what is selected: the kind is the resource of the operation. */
function datesOf({ deletedDateFrom, deletedDateTo }: Record<string, string>) {
  return { deletedDateFrom, deletedDateTo };
}

export default function TrashPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const may = useMay();
  const { state, change } = useListAddress(defaults);
  const list = useQuery({
    queryKey: [...trashKey, state],
    queryFn: async ({ signal }) => {
      const page = await call("get", "/trash", { query: listQuery(state), signal });
      // Of two kinds, two items may have the same id.
      const content = page.content.map((entry) => ({ ...entry, id: `${entry.kind}-${entry.itemId}` }));
      return { ...page, content };
    },
    staleTime: freshness.lists,
    placeholderData: keepPreviousData,
  });
  /** What can't be restored as it was: one is answered after the other. */
  const [refusals, setRefusals] = useState<{ entry: Entry; problem: Error }[]>([]);
  const refused = refusals[0];
  const restore = useRestore();
  /** Entries that are being restored. */
  const pending = useRef(new Set<string>());
  const columns = useColumns();
  const selection = useSelection(state);
  const hasSelected = selection.everything || selection.ids.length > 0;
  const shownKind = state.filters.kind ?? "";
  const begin = async (entry: Entry) => {
    if (pending.current.has(entry.id)) return;
    pending.current.add(entry.id);
    try {
      await restore.mutateAsync({
        kind: entry.kind as RecordedKind,
        id: entry.itemId,
        name: nameOf(entry),
        changes: {},
      });
      selection.forget(entry.id);
    } catch (problem) {
      setRefusals((others) => [...others, { entry, problem: problem as Error }]);
    } finally {
      pending.current.delete(entry.id);
    }
  };
  const shownKinds: RecordedKind[] = kinds.filter((kind) => may(`${contentEntries[kind].entity}_DELETE`));
  if (may("TVSHOW_DELETE")) shownKinds.push("seasons", "episodes");

  return (
    <>
      <ListScreen<Entry>
        name={defaults.name}
        title={t("history.trash.title")}
        searchLabel={t("history.trash.search")}
        columns={columns}
        filters={[
          {
            key: "kind",
            label: t("history.trash.fields.kind"),
            options: shownKinds.map((kind) => ({ value: kind, label: textAt(`pages.${kind}`) })),
          },
          {
            key: "deletedDate",
            label: t("history.trash.fields.deletedDate"),
            input: "days",
            options: [],
            Panel: DayRange,
          },
        ]}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/trash"
            query={listQuery(state)}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        selectable={{ selection, nameOf: (entry) => nameOf(entry) || `#${entry.itemId}` }}
        selected={
          hasSelected && (
            <Suspense fallback={null}>
              <TrashSelectionBar
                kinds={shownKind ? [shownKind as RecordedKind] : shownKinds}
                selection={selection}
                filter={{ search: state.search, ...datesOf(state.filters) }}
                total={list.data?.totalElements}
              />
            </Suspense>
          )
        }
        identity={(entry) => (
          <span>
            {nameOf(entry) || `#${entry.itemId}`}
            {entry.parts > 0 && (
              <span className="quiet">
                {" "}
                {t("history.trash.parts", { count: entry.parts, number: formatNumber(entry.parts) })}
              </span>
            )}
          </span>
        )}
        actions={(entry) => (
          <ActionButtons
            name={nameOf(entry)}
            actions={[
              {
                label: t("history.trash.restoreName", { name: nameOf(entry) }),
                verb: t("history.trash.restore"),
                Icon: RestoreIcon,
                onClick: () => void begin(entry),
              },
            ]}
          />
        )}
      />
      {refused && (
        <RestoreDialog
          key={refused.entry.id}
          kind={refused.entry.kind as RecordedKind}
          id={refused.entry.itemId}
          name={nameOf(refused.entry)}
          problem={refused.problem}
          onClose={() => {
            setRefusals((others) => others.slice(1));
            void client.invalidateQueries({ queryKey: trashKey });
          }}
        />
      )}
    </>
  );
}

const nameOf = ({ kind, title }: Entry) => itemName(kind, title);

function useColumns(): Column<Entry>[] {
  const { t } = useTranslation();
  return useInLanguage((): Column<Entry>[] => [
    {
      key: "title",
      label: t("history.trash.fields.title"),
      isIdentity: true,
      sortable: true,
      render: () => null,
    },
    {
      key: "kind",
      label: t("history.trash.fields.kind"),
      width: "10rem",
      onCard: true,
      render: ({ kind }) => textAt(`pages.${kind}`),
    },
    {
      key: "deletedDate",
      label: t("history.trash.fields.deletedDate"),
      width: "8rem",
      sortable: true,
      onCard: true,
      render: ({ deletedDate }) => <Moment of={deletedDate} />,
    },
    {
      key: "deletedBy",
      label: t("history.trash.fields.deletedBy"),
      width: "9rem",
      onCard: true,
      render: ({ deletedBy }) => deletedBy ?? <Dash />,
    },
    {
      key: "keptUntil",
      label: t("history.trash.fields.keptUntil"),
      width: "11rem",
      needsRoom: true,
      render: ({ keptUntil }) => <Moment of={keptUntil} />,
    },
  ]);
}
