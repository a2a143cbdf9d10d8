// The list of one kind of content: the shared list with rows from the server and the actions the user may take.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { loadFormTexts, loadTexts, textAt, textNear } from "../../i18n";
import { afterFirstPage } from "../../loading/firstPage";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { keysOf } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useCells } from "../../ui/list/useCells";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { useSelection } from "../../ui/list/useSelection";
import { Cover } from "../../ui/values";
import type { Row } from "./contents";
import { type ContentDefinition, changeFilters } from "./define";
import { fits } from "./fits";
import { listDefaults } from "./listDefaults";
import { contentKeys, contentQueries } from "./queries";
import { RowActions } from "./RowActions";
import { useStoredFilters } from "./storedFilters";

const SelectionBar = lazyPart(
  async () =>
    (await Promise.all([import("./bulk/SelectionBar"), loadTexts("operations"), loadFormTexts()]))[0],
);

const CellEditor = lazyPart(
  async () => (await Promise.all([import("./inline/CellEditor"), loadFormTexts()]))[0],
);

const ImportButton = lazyPart(
  afterFirstPage(
    async () => (await Promise.all([import("../../imports/ImportButton"), loadTexts("imports")]))[0],
  ),
);

export function ContentList<K extends Kind>({ definition }: { definition: ContentDefinition<K> }) {
  const { t } = useTranslation();
  const { kind } = definition;
  const { entity, hasDetails } = contentEntries[kind];
  const may = useMay();

  const columns = useInLanguage(definition.columns, definition);
  const filters = [
    ...(definition.filters?.() ?? []),
    ...useStoredFilters(definition.categoryFilter, definition.guideFilter ?? false),
    ...changeFilters(kind),
  ];
  const filterKeys = filters.flatMap(keysOf).join();
  const defaults = useMemo(() => listDefaults(kind, filterKeys.split(",")), [kind, filterKeys]);
  const { state, change } = useListAddress(defaults);
  const list = useQuery(contentQueries.list(kind, state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => contentQueries.list(kind, next));

  const addressOf = (row: Row<K>) => {
    if (may(`${entity}_UPDATE`)) return paths.editContent(kind, row.id);
    return hasDetails ? paths.content(kind, row.id) : undefined;
  };

  const selection = useSelection(state);
  const mayChange = may(`${entity}_UPDATE`);
  const hasSelected = selection.everything || selection.ids.length > 0;

  const cells = useCells<Row<K>>(list.data?.content, t("list.editCell"), (cell) => (
    <Suspense fallback={<span className="quiet">…</span>}>
      <CellEditor definition={definition} {...cell} />
    </Suspense>
  ));

  const importTarget = useMemo(
    () => ({
      resource: kind,
      lists: contentKeys.all(kind),
      fieldLabel: (field: string) =>
        textNear(`contents.${kind}`, `fields.${field.split(/[.[]/)[0] ?? field}`),
    }),
    [kind],
  );

  const { Header } = definition;
  return (
    <ListScreen<Row<K>>
      header={Header && <Header />}
      aside={
        <>
          {mayChange && may(`${entity}_CREATE`) && (
            <Suspense fallback={<span style={{ width: 36 }} />}>
              <ImportButton target={importTarget} />
            </Suspense>
          )}
          <ListExport
            list={kind}
            file={`${kind}/spreadsheet`}
            query={listQuery(state)}
            total={list.data?.totalElements}
            columns={columns}
          />
        </>
      }
      name={kind}
      title={t(`pages.${kind}`)}
      searchLabel={textAt(`contents.${kind}.search`)}
      columns={columns}
      filters={filters}
      state={state}
      change={change}
      answer={answerOf(list)}
      selectable={mayChange ? { selection, nameOf: definition.nameOf } : undefined}
      cells={mayChange ? cells : undefined}
      selected={
        mayChange &&
        hasSelected && (
          <Suspense fallback={null}>
            <SelectionBar
              definition={definition}
              selection={selection}
              filters={{ search: state.search, ...state.filters }}
              total={list.data?.totalElements}
            />
          </Suspense>
        )
      }
      create={
        may(`${entity}_CREATE`)
          ? { to: paths.newContent(kind), label: textAt(`contents.${kind}.create`) }
          : undefined
      }
      identity={(row, leave) => (
        <RowTitle
          definition={definition}
          row={row}
          to={addressOf(row)}
          // Rows of the former filter stay until those of the new one are there.
          isMarked={!list.isPlaceholderData && !fits(row, state.filters)}
          onLeave={leave}
        />
      )}
      actions={(row, leave) => (
        <RowActions definition={definition} row={row} onLeave={leave} onDeleted={selection.forget} />
      )}
      onIntent={prefetchNext}
    />
  );
}

interface RowTitleProps<K extends Kind> {
  definition: ContentDefinition<K>;
  row: Row<K>;
  /** The address of the title, for users who may open it. */
  to: string | undefined;
  /** Whether the item was changed meanwhile and no longer matches the filter of the list. */
  isMarked: boolean;
  onLeave: () => void;
}

/** The picture of an item, its name, and what distinguishes it from others of that name. */
function RowTitle<K extends Kind>({ definition, row, to, isMarked, onLeave }: RowTitleProps<K>) {
  const { t } = useTranslation();
  return (
    <span className="row-title">
      {definition.pictureOf && <Cover url={definition.pictureOf(row)} size={definition.pictureSize} />}
      <span className="row-text">
        {to ? (
          <Link to={to} data-row={row.id} onClick={onLeave}>
            {definition.nameOf(row)}
          </Link>
        ) : (
          <strong>{definition.nameOf(row)}</strong>
        )}
        {definition.detailsOf && (
          <span className="row-detail">{definition.detailsOf(row).filter(Boolean).join(" · ")}</span>
        )}
      </span>
      {isMarked && <span className="row-note">{t("list.noLongerFits")}</span>}
    </span>
  );
}
