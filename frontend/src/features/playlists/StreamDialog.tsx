// Of which channel an entry becomes a further stream: found by name or number.
import { Button, Group, Loader, Select, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { Dialog } from "../../ui/Dialog";
import { type Entry, playlistQueries, useAddStream } from "./queries";

interface StreamDialogProps {
  source: number;
  entry: Entry;
  onClose: () => void;
}

export default function StreamDialog({ source, entry, onClose }: StreamDialogProps) {
  const { t } = useTranslation();
  const add = useAddStream(source);
  // The channel of the entry that it repeats is the likely one.
  const first = entry.duplicateOf?.itemType === "tv-channels" ? entry.duplicateOf : undefined;
  const [chosen, setChosen] = useState<string | null>(first ? String(first.itemId) : null);
  const [label, setLabel] = useState(first?.name ?? "");
  const [typed, setTyped] = useState("");
  const [words] = useDebouncedValue(typed === label ? "" : typed.trim(), 250);
  // Until something is typed, channels that are called like the entry.
  const channels = useQuery(playlistQueries.channels(words || entry.name));
  const found = (channels.data?.content ?? []).map(({ id, channelNumber, title }) => ({
    value: String(id),
    label: `${channelNumber} · ${title}`,
  }));
  const others = found.filter(({ value }) => value !== chosen);
  const data = chosen === null ? found : [{ value: chosen, label }, ...others];
  return (
    <Dialog
      title={t("playlists.stream.title", { name: entry.name })}
      onClose={onClose}
      isForm={chosen !== null}
    >
      <Stack gap="md">
        <Text size="sm">{t("playlists.stream.about")}</Text>
        <Select
          label={t("playlists.stream.channel")}
          placeholder={t("playlists.stream.search")}
          nothingFoundMessage={
            channels.isFetching
              ? t("form.loading")
              : t(words ? "form.nothingFound" : "playlists.stream.search")
          }
          error={channels.isError && messageOf(channels.error)}
          rightSection={channels.isFetching ? <Loader size="xs" /> : undefined}
          data={data}
          // The server searched.
          filter={({ options }) => options}
          searchable
          data-autofocus
          selectFirstOptionOnChange
          allowDeselect={false}
          searchValue={typed}
          onSearchChange={setTyped}
          value={chosen}
          onChange={(id, option) => {
            if (id === null || option === null) return;
            setChosen(id);
            setLabel(option.label);
          }}
        />
        {add.error && (
          <Text c="var(--danger)" role="alert">
            {messageOf(add.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button
            disabled={chosen === null}
            loading={add.isPending}
            onClick={() => add.mutate({ id: entry.id, channelId: Number(chosen) }, { onSuccess: onClose })}
          >
            {t("playlists.stream.verb")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
