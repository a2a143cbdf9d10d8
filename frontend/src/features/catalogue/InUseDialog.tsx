// Shown for the deletion of a category or a guide that is in use: lists what refers to it, with links, and moves it to another
// one first.
import { Button, Group, Select, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { messageOf } from "../../api/problem";
import { paths } from "../../routing/paths";
import "../../forms/mantine-forms.css";
import { contentEntries, type Kind } from "../../access/kinds";
import { useCategoryOptions, useGuideOptions } from "../../api/storedOptions";
import { formatNumber } from "../../i18n/formats";
import { OperationProgress } from "../../operations/OperationProgress";
import { operationQueries } from "../../operations/queries";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { useMoveAndDelete } from "./movingUses";
import type { Shared, Usage } from "./uses";
import "./in-use.css";

/** Uses of a category by resources other than content. */
const playlists = "playlist-sources";

interface InUseDialogProps {
  kind: Shared;
  id: number;
  version: number;
  name: string;
  /** Of a category: it is moved to one of the same type. */
  type?: string;
  usage: Usage;
  onClose: () => void;
  onDeleted: (id: number) => void;
}

export function InUseDialog({ kind, id, version, name, type, usage, onClose, onDeleted }: InUseDialogProps) {
  const { t } = useTranslation();
  const may = useMay();
  const categories = useCategoryOptions(type, kind === "categories");
  const guides = useGuideOptions(kind === "tv-guides");
  const choice = kind === "categories" ? categories : guides;
  const others = choice.options.filter(({ value }) => value !== String(id));
  const [to, setTo] = useState<string | null>(null);
  /** The one that the dialog opened with, also where the list is read again meanwhile. */
  const [opened] = useState(version);
  const [begun, setBegun] = useState<readonly number[]>([]);
  const operations = useQueries({ queries: begun.map((one) => operationQueries.one(one)) });
  const moving = useMoveAndDelete(setBegun, onDeleted);
  const isBusy = moving.isPending;
  const close = () => {
    if (!isBusy) onClose();
  };
  // Playlist entries follow their channels: no permission is needed for them.
  const entities = [kind, ...usage.kinds.map((used) => used.kind).filter((used) => used !== playlists)].map(
    (one) => contentEntries[one as Kind]?.entity,
  );
  const mayMove =
    entities.every((entity) => entity && may(`${entity}_UPDATE`)) && (choice.isPending || others.length > 0);

  const moveAndDelete = () => {
    if (!to || isBusy) return;
    setBegun([]);
    const toName = others.find(({ value }) => value === to)?.label ?? "";
    moving.mutate(
      { kind, id, version: opened, name, to: Number(to), toName },
      { onSuccess: ({ left }) => left === 0 && onClose() },
    );
  };
  const left = moving.data?.left ?? 0;

  return (
    <Dialog title={t("contents.inUse.title", { name })} onClose={close}>
      <Text size="sm">{t("contents.inUse.explanation")}</Text>
      <UsageList kind={kind} id={id} usage={usage} onLeave={onClose} />
      {mayMove && (
        <Select
          label={t("contents.inUse.moveTo")}
          placeholder={choice.isPending ? t("form.loading") : t("form.choose")}
          nothingFoundMessage={t("form.nothingFound")}
          data={others}
          searchable
          value={to}
          onChange={setTo}
          disabled={isBusy}
        />
      )}
      {mayMove && type === "TV_CHANNEL" && (
        <Text size="sm" c="dimmed" mt="xs">
          {t("contents.inUse.notUndone")}
        </Text>
      )}
      {isBusy &&
        operations.map(({ data }, index) => (
          <OperationProgress key={begun[index]} operation={data} text={t("contents.inUse.moving")} />
        ))}
      <FailureAlert title={t("contents.inUse.notMoved")} mt="md">
        {moving.isError && messageOf(moving.error)}
        {left > 0 && (
          <>
            {t("contents.inUse.left", { count: left, number: formatNumber(left) })}{" "}
            <Link to={`${paths.operations}?operation=${begun[0]}`} onClick={onClose}>
              {t("contents.inUse.why")}
            </Link>
          </>
        )}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={close} disabled={isBusy}>
          {t("common.cancel")}
        </Button>
        {mayMove && (
          <Button color="red" disabled={!to} loading={isBusy} onClick={moveAndDelete}>
            {t("contents.inUse.moveAndDelete")}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}

interface UsageListProps {
  kind: Shared;
  id: number;
  usage: Usage;
  onLeave: () => void;
}

/** Links to the lists of its uses. */
function UsageList({ kind, id, usage, onLeave }: UsageListProps) {
  const { t } = useTranslation();
  const filter = kind === "categories" ? "categoryId" : "tvGuideId";
  return (
    <ul className="in-use">
      {usage.kinds.map((used) => (
        <li key={used.kind}>
          {used.kind === playlists ? (
            <Link to={paths.playlists} onClick={onLeave}>
              {t("pages.playlists")}
            </Link>
          ) : (
            <Link to={`${paths.contents(used.kind)}?${filter}=${id}`} onClick={onLeave}>
              {t(`pages.${used.kind as Kind}`)}
            </Link>
          )}
          <span className="tabular">{formatNumber(used.count)}</span>
        </li>
      ))}
    </ul>
  );
}
