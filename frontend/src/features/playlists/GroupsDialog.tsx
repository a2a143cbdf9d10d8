// Which category the channels of a group get; remembered for the source.
import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { useCategories } from "./PlaylistFields";
import { playlistQueries, type Source, useSaveGroups } from "./queries";

/** Groups that are shown; a list with more is searched. */
const shownGroups = 100;

export default function GroupsDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(playlistQueries.groups(source.id));
  const categories = useCategories();
  const save = useSaveGroups(source);
  const [chosen, setChosen] = useState<Record<string, number | null>>({});
  const groups = (data ?? []).filter(({ group }) => group !== "");
  const categoryOf = (group: (typeof groups)[number]) => {
    const own = chosen[group.group];
    return own === undefined ? (group.categoryId ?? group.suggestion) : own;
  };
  const submit = () => {
    const mapped = groups.flatMap((group) => {
      const categoryId = categoryOf(group);
      return categoryId ? [{ group: group.group, categoryId }] : [];
    });
    const shown = new Set(groups.map(({ group }) => group));
    const others = source.categories.filter(({ group }) => !shown.has(group));
    save.mutate([...others, ...mapped], { onSuccess: onClose });
  };
  return (
    <Dialog title={t("playlists.groups.title")} onClose={onClose} size="lg" isForm>
      {error ? (
        <ErrorView title={t("list.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{t("playlists.groups.about")}</Text>
          {data && groups.length === 0 && <Text c="dimmed">{t("playlists.groups.none")}</Text>}
          <div className="playlist-groups">
            {groups.slice(0, shownGroups).map((group) => {
              const category = categoryOf(group);
              const isSuggested = chosen[group.group] === undefined && !group.categoryId && group.suggestion;
              return (
                <Select
                  key={group.group}
                  label={group.group}
                  description={
                    isSuggested
                      ? t("playlists.groups.suggested")
                      : t("playlists.groups.entries", {
                          count: group.entries,
                          number: formatNumber(group.entries),
                        })
                  }
                  data={categories}
                  searchable
                  clearable
                  clearButtonProps={{ "aria-label": t("form.clear", { field: group.group }) }}
                  placeholder={t("playlists.groups.default")}
                  nothingFoundMessage={t("form.nothingFound")}
                  value={category && categories.length > 0 ? String(category) : null}
                  onChange={(next) => setChosen({ ...chosen, [group.group]: next ? Number(next) : null })}
                />
              );
            })}
          </div>
          {groups.length > shownGroups && (
            <Text size="sm" c="dimmed">
              {t("playlists.groups.more", { number: formatNumber(groups.length - shownGroups) })}
            </Text>
          )}
          {save.error && (
            <Text c="var(--danger)" role="alert">
              {messageOf(save.error)}
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button loading={save.isPending} disabled={!data} onClick={submit}>
              {t("playlists.groups.save")}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
