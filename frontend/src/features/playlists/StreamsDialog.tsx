// Of which channels ticked entries become further streams: each of the one that is called like it, or all of one. Then what
// came of it, and the way back.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { SearchedSelect } from "../../forms/SearchedSelect";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { plain } from "../../ui/plain";
import { Begun } from "./Begun";
import { type Entry, playlistQueries, useAddStreams } from "./queries";

interface StreamsDialogProps {
  source: number;
  entries: readonly Entry[];
  /** With those that were added. */
  onClose: (added: readonly Entry[]) => void;
}

/** Words of a name that say how sharp the picture is, and not which channel it is. */
const qualities = new Set(["sd", "hd", "fhd", "uhd", "4k"]);

/** A name as it is compared: «La 1 HD» and «La 1 (FHD)» are the same channel. */
function withoutQuality(name: string): string {
  const words = plain(name).split(/[\s()[\]]+/);
  const rest = words.filter((word) => word !== "" && !qualities.has(word)).join(" ");
  return rest || plain(name);
}

const optionOf = ({ id, channelNumber, title }: { id: number; channelNumber: number; title: string }) => ({
  value: String(id),
  label: `${channelNumber} · ${title}`,
});

export default function StreamsDialog({ source, entries, onClose }: StreamsDialogProps) {
  const { t } = useTranslation();
  const add = useAddStreams(source);
  const [operations, setOperations] = useState<number[]>([]);
  const [ofAll, setOfAll] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Record<number, string>>({});
  const alike = useQueries({
    queries: entries.map(({ name }) => playlistQueries.channels(withoutQuality(name))),
  });
  /** The channel of the entry that it repeats, or the only one that is called like it. */
  const suggestions = entries.map((entry, index) => {
    const { duplicateOf } = entry;
    if (duplicateOf?.itemType === "tv-channels" && duplicateOf.itemId != null)
      return { value: String(duplicateOf.itemId), label: duplicateOf.name };
    const all = alike[index]?.data?.content ?? [];
    const same = all.filter(({ title }) => plain(title) === plain(entry.name));
    const found =
      same.length > 0
        ? same
        : all.filter(({ title }) => withoutQuality(title) === withoutQuality(entry.name));
    return found.length === 1 && found[0] ? optionOf(found[0]) : undefined;
  });
  const channels = entries.map(({ id }, index) => ofAll ?? chosen[id] ?? suggestions[index]?.value ?? null);
  const ready = entries.filter((_, index) => channels[index] !== null);
  const rest = entries.length - ready.length;
  /** The message about an entry: the field of a violation has its position in the request. */
  const faultOf = (entry: number) => {
    const place = add.variables?.findIndex(({ entryId }) => entryId === entry) ?? -1;
    return add.error?.violations.find(({ field }) => field.startsWith(`streams[${place}].`))?.message;
  };
  // Where one channel is chosen for all, no field says what is wrong with an entry.
  const faults = ofAll === null ? [] : [...new Set(add.error?.violations.map(({ message }) => message))];
  const isChanged = ofAll !== null || Object.keys(chosen).length > 0;
  // Whether entries were added is not known before the answer.
  const close = () => {
    if (!add.isPending) void askAndClose(isChanged, () => onClose([]));
  };
  // Of an entry whose channels have not arrived it is not known whether it stays behind.
  const isSearching = ofAll === null && alike.some(({ isLoading }) => isLoading);
  const title = t("playlists.streams.title", { count: entries.length });
  if (operations.length > 0) {
    const added = entries.filter(({ id }) => add.variables?.some(({ entryId }) => entryId === id));
    return (
      <Dialog title={title} onClose={() => onClose(added)} size="lg">
        <Begun source={source} of={operations} onUndo={setOperations} onClose={() => onClose(added)} />
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={close} size="lg" isForm>
      <Stack gap="md">
        <Text size="sm">{t("playlists.streams.about")}</Text>
        <SearchedSelect
          label={t("playlists.streams.all")}
          placeholder={t("playlists.streams.each")}
          hint={t("playlists.stream.search")}
          data-autofocus
          query={(words) => playlistQueries.channels(words)}
          optionOf={(found) => optionOf(found)}
          value={ofAll}
          onChoose={setOfAll}
        />
        {ofAll === null ? (
          entries.map(({ id, name }, index) => {
            const suggested = suggestions[index];
            return (
              <SearchedSelect
                key={id}
                label={t("playlists.streams.channelOf", { name })}
                placeholder={t("playlists.stream.search")}
                hint={t("playlists.stream.search")}
                openOnFocus
                error={faultOf(id)}
                query={(words) => playlistQueries.channels(words || withoutQuality(name))}
                optionOf={(found) => optionOf(found)}
                known={suggested ? [suggested] : []}
                value={channels[index] ?? null}
                onChoose={(channel) => setChosen((before) => ({ ...before, [id]: channel }))}
              />
            );
          })
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={() => setOfAll(null)}>
            {t("playlists.streams.each")}
          </Button>
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {!isSearching && rest > 0 && t("playlists.streams.rest", { count: rest })}
        </Text>
        <FailureAlert>{add.error && [messageOf(add.error), ...faults].join(" ")}</FailureAlert>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={add.isPending} onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button
            disabled={isSearching || ready.length === 0}
            loading={add.isPending}
            onClick={() =>
              add.mutate(
                entries.flatMap(({ id }, index) =>
                  channels[index] ? [{ entryId: id, channelId: Number(channels[index]) }] : [],
                ),
                { onSuccess: (begun) => setOperations(begun.operations.map(({ id }) => id)) },
              )
            }
          >
            {t("playlists.streams.verb", { count: ready.length })}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
