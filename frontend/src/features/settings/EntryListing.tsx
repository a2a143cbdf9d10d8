// One list of the settings page: search, entries and pages; the form replaces it while an entry is edited.

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import type { RowOf } from "../../api/resources";
import { textAt } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AddIcon } from "../../ui/icons";
import { answerOf } from "../../ui/list/answer";
import { Pager } from "../../ui/list/Pager";
import { SearchBox } from "../../ui/list/SearchBox";
import { useListAddress } from "../../ui/list/useListAddress";
import { useExistingPage } from "../../ui/list/usePages";
import "../../ui/list/list.css";
import { type EntryList, settingsQueries } from "./queries";
import { useSettingsAddress } from "./useSettingsAddress";

interface EntryListingProps<L extends EntryList> {
  list: L;
  canChange: boolean;
  render: (entry: RowOf<L>) => ReactNode;
  /** The height of the skeleton of an entry. */
  height: number;
}

const addresses = {
  "background-images": { name: "background-images", size: 10 },
  "alert-messages": { name: "alert-messages", size: 10 },
  "renewal-messages": { name: "renewal-messages", size: 10 },
};

export function EntryListing<L extends EntryList>({ list, canChange, render, height }: EntryListingProps<L>) {
  const { t } = useTranslation();
  const { edit } = useSettingsAddress();
  const { state: wanted, change } = useListAddress(addresses[list]);
  // There is no order to choose.
  const state = { ...wanted, sort: "" };
  const page = useQuery(settingsQueries.list(list, state));
  useExistingPage(answerOf(page), state, change);
  const { data, error } = page;
  const total = data?.totalElements;
  return (
    <section aria-label={t(`appSettings.${list}.title`)}>
      <p className="settings-help">{t(`appSettings.${list}.about`)}</p>
      <div className="list-tools">
        <SearchBox
          value={state.search}
          placeholder={t(`appSettings.${list}.search`)}
          onSearch={(search) => change({ search }, { replace: true })}
        />
        {canChange && (
          <Button leftSection={<AddIcon />} ml="auto" onClick={() => edit("new")}>
            {t(`appSettings.${list}.add`)}
          </Button>
        )}
      </div>
      <output className="visually-hidden" aria-live="polite">
        {!page.isPlaceholderData && total !== undefined
          ? t("list.found", { count: total, number: formatNumber(total) })
          : ""}
      </output>
      {error && !data ? (
        <ErrorView title={t("list.failed")} message={messageOf(error)} onRetry={() => void page.refetch()} />
      ) : !data ? (
        <div className={`entries entries-${list}`} aria-busy="true">
          {[1, 2, 3].map((one) => (
            <Skeleton key={one} h={height} radius="md" />
          ))}
        </div>
      ) : total === 0 ? (
        <Empty>{state.search ? textAt("list.nothingFound") : t(`appSettings.${list}.none`)}</Empty>
      ) : (
        <>
          <ul
            className={`entries entries-${list}`}
            aria-label={t(`appSettings.${list}.title`)}
            data-stale={page.isPlaceholderData || undefined}
            aria-busy={page.isPlaceholderData}
          >
            {data.content.map((entry) => (
              <li key={entry.id}>{render(entry)}</li>
            ))}
          </ul>
          <Pager
            page={state.page}
            size={state.size}
            total={total ?? 0}
            onPage={(next) => change({ page: next })}
            onSize={(size) => change({ size })}
          />
        </>
      )}
    </section>
  );
}
