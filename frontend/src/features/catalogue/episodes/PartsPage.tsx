// The seasons or the episodes of all shows: filters for missing values, and bulk changes across shows.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../../access/session";
import { loadFormTexts, loadTexts, textAt } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { answerOf } from "../../../ui/list/answer";
import { keysOf } from "../../../ui/list/filter";
import { ListScreen } from "../../../ui/list/ListScreen";
import { listQuery } from "../../../ui/list/listQuery";
import { useCells } from "../../../ui/list/useCells";
import { useInLanguage } from "../../../ui/list/useInLanguage";
import { useListAddress } from "../../../ui/list/useListAddress";
import { useNextPage } from "../../../ui/list/useNextPage";
import { useSelection } from "../../../ui/list/useSelection";
import { Cover } from "../../../ui/values";
import type { Row } from "../contents";
import { contentQueries } from "../queries";
import { PartTools } from "./PartTools";
import { episodeParts, type PartDefinition, type PartKind, seasonParts } from "./parts";
import { ShowTabs } from "./ShowTabs";

const SelectionBar = lazyPart(
  async () => (await Promise.all([import("../bulk/SelectionBar"), loadTexts("operations")]))[0],
);

const CellEditor = lazyPart(
  async () => (await Promise.all([import("../inline/CellEditor"), loadFormTexts()]))[0],
);

/** The default state of a list. */
const plain = {
  seasons: { name: "seasons", size: 10, sort: "-id" },
  episodes: { name: "episodes", size: 10, sort: "-id" },
};

export const EpisodesOfAllShows = () => <PartList of={episodeParts} />;
export const SeasonsOfAllShows = () => <PartList of={seasonParts} />;

function PartList<K extends PartKind>({ of }: { of: PartDefinition<K> }) {
  const { t } = useTranslation();
  const { kind } = of;
  const may = useMay();
  const mayEdit = may("TVSHOW_UPDATE");

  const columns = useInLanguage(of.columns, of);
  const filters = of.filters();
  const filterKeys = filters.flatMap(keysOf).join();
  const defaults = useMemo(() => ({ ...plain[kind], filters: filterKeys.split(",") }), [kind, filterKeys]);
  const { state, change } = useListAddress(defaults);
  const list = useQuery(contentQueries.list(kind, state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => contentQueries.list(kind, next));
  const selection = useSelection(state);
  const hasSelected = selection.everything || selection.ids.length > 0;
  const cells = useCells<Row<K>>(list.data?.content, t("list.editCell"), (cell) => (
    <Suspense fallback={<span className="quiet">…</span>}>
      <CellEditor definition={of} {...cell} />
    </Suspense>
  ));

  return (
    <ListScreen<Row<K>>
      header={<ShowTabs />}
      aside={<PartTools kind={kind} query={listQuery(state)} total={list.data?.totalElements} />}
      name={kind}
      title={textAt(`pages.${kind}`)}
      searchLabel={textAt(`contents.${kind}.search`)}
      columns={columns}
      filters={filters}
      state={state}
      change={change}
      answer={answerOf(list)}
      selectable={mayEdit ? { selection, nameOf: of.nameOf } : undefined}
      cells={mayEdit ? cells : undefined}
      selected={
        mayEdit &&
        hasSelected && (
          <Suspense fallback={null}>
            <SelectionBar
              definition={of}
              selection={selection}
              filters={{ search: state.search, ...state.filters }}
              total={list.data?.totalElements}
            />
          </Suspense>
        )
      }
      identity={(row, leave) => (
        <span className="row-title">
          <Cover url={row.coverImageUrl} />
          <span className="row-text">
            <Link to={of.addressOf(row, mayEdit)} data-row={row.id} onClick={leave}>
              {of.nameOf(row)}
            </Link>
          </span>
        </span>
      )}
      onIntent={prefetchNext}
    />
  );
}
