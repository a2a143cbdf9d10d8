// Groups of probable duplicates: the reason, the differences, and the comparison that merges two items.
import { Button, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { duplicateCounts } from "../../../api/duplicates";
import { DuplicateReason } from "../../../api/enums/DuplicateReason.gen";
import { messageOf } from "../../../api/problem";
import { freshness } from "../../../api/queryClient";
import { type ComparedKind, type DuplicateGroup, getDuplicates } from "../../../api/resourceItems";
import { loadSeriesTexts, textAt } from "../../../i18n";
import { labelOf } from "../../../i18n/enums";
import { formatNumber } from "../../../i18n/formats";
import { lazyPart } from "../../../loading/lazyPart";
import { formOf, paths } from "../../../routing/paths";
import { Empty } from "../../../ui/Empty";
import { ErrorView } from "../../../ui/ErrorView";
import { answerOf } from "../../../ui/list/answer";
import { ListExport } from "../../../ui/list/export/ListExport";
import { Pager } from "../../../ui/list/Pager";
import { useListAddress } from "../../../ui/list/useListAddress";
import { useExistingPage } from "../../../ui/list/usePages";
import { PageHeading } from "../../../ui/PageHeading";
import { PageSkeleton } from "../../../ui/PageSkeleton";
import { Cover } from "../../../ui/values";
import { type DuplicateItem, ItemFacts } from "./ItemFacts";
import "./duplicates.css";

// With the names of the fields of shows and episodes.
const MergeDialog = lazyPart(
  async () => (await Promise.all([import("./MergeDialog"), loadSeriesTexts()]))[0],
  { isDialog: true },
);

const defaults = { name: "duplicates", size: 20, filters: ["kind", "reason"] };
/** Of each item: what the groups show. */
const columnsOfFile = ["group", "value", "commonYear", "id", "title", "year", "show", "season", "episode"]
  .concat(["imdbId", "active", "links", "views"])
  .map((key) => ({ key }));

/** The value of a choice: both parts of it. */
const choiceOf = (kind: string, reason: string) => `${kind} ${reason}`;

export default function DuplicatesPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const counts = useQuery(duplicateCounts);
  const found = counts.data?.filter(({ count }) => count > 0) ?? [];
  const { kind = "", reason = "" } = state.filters;
  const chosen = counts.data?.find((one) => one.kind === kind && one.reason === reason) ?? found[0];
  const choices = found.includes(chosen as (typeof found)[number]) || !chosen ? found : [chosen, ...found];
  return (
    <>
      <PageHeading
        title={t("completeness.duplicates.title")}
        aside={
          chosen && (
            <ListExport
              list={defaults.name}
              file="spreadsheets/duplicates"
              query={{ kind: chosen.kind, reason: chosen.reason }}
              // Its rows are the items of the groups, of which the number of groups says nothing.
              total={undefined}
              columns={columnsOfFile}
            />
          )
        }
      />
      <p className="quiet">
        {t("completeness.duplicates.help")}{" "}
        <Link to={paths.completeness}>{t("completeness.duplicates.back")}</Link>
      </p>
      {chosen ? (
        <>
          <NativeSelect
            className="duplicates-choice"
            label={t("completeness.duplicates.which")}
            value={choiceOf(chosen.kind, chosen.reason)}
            onChange={(event) => {
              const [nextKind, nextReason] = event.currentTarget.value.split(" ");
              change({ filters: { kind: nextKind, reason: nextReason } });
            }}
            data={choices.map((one) => ({
              value: choiceOf(one.kind, one.reason),
              label: `${textAt(`pages.${one.kind}`)} · ${labelOf(DuplicateReason, one.reason)} (${formatNumber(one.count)})`,
            }))}
          />
          <Groups kind={chosen.kind as ComparedKind} reason={chosen.reason} state={state} change={change} />
        </>
      ) : counts.data ? (
        <Empty>{t("completeness.duplicates.noneAtAll")}</Empty>
      ) : counts.error ? (
        <ErrorView
          title={t("completeness.duplicates.failed")}
          message={messageOf(counts.error)}
          onRetry={() => void counts.refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

interface GroupsProps extends ReturnType<typeof useListAddress> {
  kind: ComparedKind;
  reason: string;
}

function Groups({ kind, reason, state, change }: GroupsProps) {
  const { page, size } = state;
  const { t } = useTranslation();
  const [compared, setCompared] = useState<[DuplicateItem, DuplicateItem]>();
  const groups = useQuery({
    queryKey: ["contents", "duplicates", kind, reason, page, size],
    queryFn: ({ signal }) => getDuplicates(kind, { reason, _page: page, _size: size }, signal),
    staleTime: freshness.lists,
    placeholderData: keepPreviousData,
  });
  useExistingPage(answerOf(groups), state, change);
  const { data, error, refetch } = groups;
  if (!data)
    return error ? (
      <ErrorView
        title={t("completeness.duplicates.failed")}
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    ) : (
      <PageSkeleton />
    );
  return (
    <>
      {data.content.length === 0 && <Empty>{t("completeness.duplicates.none")}</Empty>}
      <ul className="duplicates">
        {data.content.map((group) => (
          <Group key={group.items[0]?.id} of={group} kind={kind} onCompare={setCompared} />
        ))}
      </ul>
      {data.totalElements > 0 && (
        <Pager
          page={page}
          size={size}
          total={data.totalElements}
          onPage={(next) => change({ page: next })}
          onSize={(next) => change({ size: next })}
        />
      )}
      {compared && (
        <Suspense fallback={null}>
          <MergeDialog kind={kind} items={compared} onClose={() => setCompared(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface GroupProps {
  of: DuplicateGroup;
  kind: ComparedKind;
  onCompare: (items: [DuplicateItem, DuplicateItem]) => void;
}

/** Each item beneath the first is compared with the first. */
function Group({ of: { items, total, value, year }, kind, onCompare }: GroupProps) {
  const { t } = useTranslation();
  const [first] = items;
  if (!first) return null;
  return (
    <li>
      {value !== null && (
        <p className="duplicates-value quiet">
          {t("completeness.duplicates.common", { value: year === null ? value : `${value} (${year})` })}
        </p>
      )}
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <Cover url={item.coverImageUrl} />
            <span className="duplicate-item">
              <Link to={formOf({ ...item, kind })}>{item.title}</Link>
              <ItemFacts of={item} />
            </span>
            {item !== first && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t("completeness.duplicates.compareOf", {
                  name: first.title,
                  first: first.id,
                  other: item.title,
                  second: item.id,
                })}
                onClick={() => onCompare([first, item])}
              >
                {t("completeness.duplicates.compare")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {total > items.length && (
        <p className="quiet">
          {t("completeness.duplicates.more", {
            count: total - items.length,
            number: formatNumber(total - items.length),
          })}
        </p>
      )}
    </li>
  );
}
