// What narrows, orders and shapes a list: search, filters, order on phones, height of rows and columns elsewhere.
import { ActionIcon, Skeleton } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { DensityIcon } from "../icons";
import type { Column } from "./columns";
import { Filters } from "./Filters";
import type { FilterChoice } from "./filter";
import { keepCompact } from "./preferences";
import { SearchBox } from "./SearchBox";
import { seldomShown } from "./seldomShown";
import type { ChangeList, ListState } from "./useListAddress";

const SortChoice = seldomShown(() => import("./lazy/SortChoice"));

interface ListToolsProps<Row> {
  searchLabel?: string;
  columns: readonly Column<Row>[];
  filters?: readonly FilterChoice[];
  state: ListState;
  change: ChangeList;
  isNarrow: boolean;
  isCompact: boolean;
  onCompact: (isCompact: boolean) => void;
  chooser: ReactNode;
  views: ReactNode;
}

export function ListTools<Row>(props: ListToolsProps<Row>) {
  const { searchLabel, columns, filters, state, change, isNarrow, isCompact, onCompact, chooser, views } =
    props;
  const { t } = useTranslation();
  return (
    <search className="list-tools">
      {searchLabel && (
        <SearchBox
          value={state.search}
          placeholder={searchLabel}
          onSearch={(search) => change({ search }, { replace: true })}
        />
      )}
      {filters && (
        <Filters choices={filters} values={state.filters} onChange={(filters) => change({ filters })} />
      )}
      {isNarrow && (
        <Suspense fallback={<Skeleton h={36} w={160} />}>
          <SortChoice columns={columns} sort={state.sort} onSort={(sort) => change({ sort })} />
        </Suspense>
      )}
      <span className="list-look">
        {views}
        {!isNarrow && (
          <ActionIcon
            variant={isCompact ? "light" : "default"}
            size={36}
            aria-pressed={isCompact}
            aria-label={t("list.compact")}
            title={t("list.compact")}
            onClick={() => {
              keepCompact(!isCompact);
              onCompact(!isCompact);
            }}
          >
            <DensityIcon />
          </ActionIcon>
        )}
        {!isNarrow && chooser}
      </span>
    </search>
  );
}
