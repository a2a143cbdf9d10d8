// Two items side by side, and what they will be together: nothing is merged that was not shown before.
import { Button, Group, Radio } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client";
import { messageOf, Problem } from "../../../api/problem";
import {
  type ComparedKind,
  getMergePreview,
  type MergePreview,
  mergeItems,
} from "../../../api/resourceItems";
import { useValueLabel, valueText } from "../../../history/valueLabels";
import { formatNumber } from "../../../i18n/formats";
import { shownBeside } from "../../../operations/changedLists";
import { paths } from "../../../routing/paths";
import { Dialog } from "../../../ui/Dialog";
import { FailureAlert } from "../../../ui/FailureAlert";
import { PageSkeleton } from "../../../ui/PageSkeleton";
import { ToneBadge } from "../../../ui/ToneBadge";
import { toast } from "../../../ui/toast";
import { fieldLabelOf } from "../history/labels";
import { contentQueries } from "../queries";
import { type DuplicateItem, ItemFacts } from "./ItemFacts";
import { differingFields, mergedLinks } from "./mergeFields";

/** What else of an item becomes that of the other. */
const alsoMoved: Partial<Record<ComparedKind, "streams" | "entries" | "parts">> = {
  "tv-channels": "streams",
  "radio-stations": "entries",
  "tv-shows": "parts",
};

interface MergeDialogProps {
  kind: ComparedKind;
  items: [DuplicateItem, DuplicateItem];
  onClose: () => void;
}

export default function MergeDialog({ kind, items, onClose }: MergeDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [keptId, setKeptId] = useState(items[0].id);
  const [kept, merged] = keptId === items[0].id ? items : [items[1], items[0]];
  const preview = useQuery({
    queryKey: ["contents", "merge", kind, kept.id, merged.id],
    queryFn: ({ signal }) => getMergePreview(kind, kept.id, merged.id, signal),
    staleTime: 0,
    retry: false,
  });
  const merging = useMutation({
    mutationFn: (of: MergePreview) => mergeItems(kind, of.kept, of.merged),
    onSuccess: (_, of) => {
      const { title: name } = of.kept.id === items[0].id ? items[0] : items[1];
      toast.success(t("completeness.duplicates.merged", { name }), undefined, {
        label: t("completeness.duplicates.openTrash"),
        to: paths.trash,
      });
      onClose();
    },
    onSettled: () =>
      Promise.all(
        [["contents"], ["issues"], ...shownBeside(kind)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  // Whether they were merged is not known before the answer.
  const close = () => {
    if (!merging.isPending) onClose();
  };
  const isOutdated = merging.error instanceof Problem && merging.error.status === 412;
  return (
    <Dialog title={t("completeness.duplicates.dialog")} size="xl" onClose={close} isForm>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (preview.data && !preview.isFetching) merging.mutate(preview.data);
        }}
      >
        <Radio.Group
          label={t("completeness.duplicates.keep")}
          value={String(keptId)}
          onChange={(id) => {
            merging.reset();
            setKeptId(Number(id));
          }}
          mb="md"
        >
          {items.map((item) => (
            <Radio
              key={item.id}
              value={String(item.id)}
              mt="xs"
              disabled={merging.isPending}
              label={item.title}
              description={
                <>
                  <ItemFacts of={item} />
                  {kind === "tv-shows" && <PartCounts show={item.id} />}
                </>
              }
            />
          ))}
        </Radio.Group>
        {preview.data ? (
          <Together kind={kind} of={preview.data} />
        ) : preview.error ? (
          <FailureAlert title={t("completeness.duplicates.notCompared")}>
            {messageOf(preview.error)}
          </FailureAlert>
        ) : (
          <PageSkeleton />
        )}
        <FailureAlert title={t("completeness.duplicates.notMerged")} mt="md">
          {merging.error && (isOutdated ? t("completeness.duplicates.changed") : messageOf(merging.error))}
        </FailureAlert>
        <Group mt="md" justify="flex-end">
          <Button variant="default" disabled={merging.isPending} onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" disabled={!preview.data || preview.isFetching} loading={merging.isPending}>
            {t("completeness.duplicates.verb")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

function Together({ kind, of: preview }: { kind: ComparedKind; of: MergePreview }) {
  const { t } = useTranslation();
  const { kept, merged, together } = preview;
  const links = mergedLinks(preview);
  const moved = alsoMoved[kind];
  return (
    <>
      <FieldTable kind={kind} of={preview} />
      {links && (
        <>
          <h3 className="merge-heading">{t("completeness.duplicates.linkList")}</h3>
          <ul className="merge-links">
            {links.map(({ link, isAdded }) => (
              <li key={link.url}>
                <span className="quiet">{link.quality}</span> <span className="merge-url">{link.url}</span>{" "}
                {isAdded && <ToneBadge tone="green">{t("completeness.duplicates.added")}</ToneBadge>}
              </li>
            ))}
          </ul>
        </>
      )}
      {moved && <p>{t(`completeness.duplicates.${moved}`)}</p>}
      <p>
        {t("completeness.duplicates.views", {
          total: formatNumber(together.views),
          kept: formatNumber(kept.views),
          merged: formatNumber(merged.views),
        })}{" "}
        {t("completeness.duplicates.reports")}
      </p>
      <p className="quiet">{t("completeness.duplicates.undo", { version: kept.version })}</p>
    </>
  );
}

/** How many seasons and episodes a show has: what is worth keeping, and what moves. */
function PartCounts({ show }: { show: number }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["series", show, "counts"],
    queryFn: async ({ signal }) => {
      const query = { _page: 0, _size: 1 };
      const [seasons, episodes] = await Promise.all([
        call("get", `/tv-shows/${show}/seasons`, { query, signal }),
        call("get", `/tv-shows/${show}/episodes`, { query, signal }),
      ]);
      return { seasons: seasons.totalElements, episodes: episodes.totalElements };
    },
    staleTime: 0,
  });
  if (!data) return null;
  const { seasons, episodes } = data;
  return (
    <span className="quiet tabular">
      {" · "}
      {t("series.seasonCount", { count: seasons, number: formatNumber(seasons) })} ·{" "}
      {t("series.episodeCount", { count: episodes, number: formatNumber(episodes) })}
    </span>
  );
}

function ShowName({ id }: { id: number }) {
  const { data } = useQuery(contentQueries.one("tv-shows", id));
  return data?.title ?? `#${id}`;
}

function FieldTable({ kind, of: preview }: { kind: ComparedKind; of: MergePreview }) {
  const { t } = useTranslation();
  const { kept, merged } = preview;
  const fields = differingFields(preview);
  const valueLabel = useValueLabel(
    kind,
    fields.map(({ field }) => field),
  );
  const labels = {
    kept: t("completeness.duplicates.kept", { id: kept.id }),
    merged: t("completeness.duplicates.discarded", { id: merged.id }),
    result: t("completeness.duplicates.result"),
  };
  const shown = (field: string, value: unknown) =>
    field === "tvShowId" ? <ShowName id={Number(value)} /> : (valueLabel(field, value) ?? valueText(value));
  return (
    <>
      {fields.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who uses the keyboard scrolls it too
        <section className="merge-scroll" tabIndex={0} aria-label={t("completeness.duplicates.dialog")}>
          <table className="merge-table">
            <thead>
              <tr>
                <th scope="col">{t("completeness.duplicates.field")}</th>
                <th scope="col">{labels.kept}</th>
                <th scope="col">{labels.merged}</th>
                <th scope="col">{labels.result}</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ field, kept, merged, result, isTaken }) => (
                <tr key={field}>
                  <th scope="row">{fieldLabelOf(kind, field)}</th>
                  <td data-label={labels.kept}>{shown(field, kept)}</td>
                  <td data-label={labels.merged}>{shown(field, merged)}</td>
                  <td data-label={labels.result}>
                    <strong>{shown(field, result)}</strong>
                    {isTaken && (
                      <>
                        {" "}
                        <ToneBadge tone="green">{t("completeness.duplicates.taken")}</ToneBadge>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p className="quiet">{t("completeness.duplicates.same")}</p>
    </>
  );
}
