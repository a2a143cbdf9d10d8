// Adds an entry as a further stream of a channel, found by name or number. Then shows the result, with undo.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { SearchedSelect } from "../../forms/SearchedSelect";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { Begun } from "./Begun";
import { type Entry, playlistQueries, useAddStream } from "./queries";

interface StreamDialogProps {
  source: number;
  entry: Entry;
  /** `isDone` once it was added. */
  onClose: (isDone: boolean) => void;
}

export default function StreamDialog({ source, entry, onClose }: StreamDialogProps) {
  const { t } = useTranslation();
  const add = useAddStream(source);
  const [operations, setOperations] = useState<number[]>([]);
  // The channel of the entry that it repeats is the likely one.
  const first = entry.duplicateOf?.itemType === "tv-channels" ? entry.duplicateOf : undefined;
  const [chosen, setChosen] = useState<string | null>(first ? String(first.itemId) : null);
  // Whether it was added is not known before the answer.
  const close = () => {
    if (!add.isPending) onClose(false);
  };
  if (operations.length > 0)
    return (
      <Dialog
        title={t("playlists.stream.title", { name: entry.name })}
        onClose={() => onClose(true)}
        size="lg"
      >
        <Begun source={source} of={operations} onUndo={setOperations} onClose={() => onClose(true)} />
      </Dialog>
    );
  return (
    <Dialog
      title={t("playlists.stream.title", { name: entry.name })}
      onClose={close}
      isForm={chosen !== null}
    >
      <Stack gap="md">
        <Text size="sm">{t("playlists.stream.about")}</Text>
        <SearchedSelect
          label={t("playlists.stream.channel")}
          placeholder={t("playlists.stream.search")}
          hint={t("playlists.stream.search")}
          data-autofocus
          openOnFocus
          // Until something is typed, channels that are called like the entry.
          query={(words) => playlistQueries.channels(words || entry.name)}
          optionOf={({ id, channelNumber, title }) => ({
            value: String(id),
            label: `${channelNumber} · ${title}`,
          })}
          known={first ? [{ value: String(first.itemId), label: first.name }] : []}
          value={chosen}
          onChoose={setChosen}
        />
        <FailureAlert>{add.error && messageOf(add.error)}</FailureAlert>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={add.isPending} onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button
            disabled={chosen === null}
            loading={add.isPending}
            onClick={() =>
              add.mutate(
                { id: entry.id, channelId: Number(chosen) },
                { onSuccess: (begun) => setOperations(begun.operations.map(({ id }) => id)) },
              )
            }
          >
            {t("playlists.stream.verb")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
