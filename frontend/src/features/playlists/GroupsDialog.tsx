// Which category the channels of a group get, and whether they are for adults; remembered for the source.
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { useCategoryOptions } from "../../api/storedOptions";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useCloseWhenSaved } from "../../forms/useCloseWhenSaved";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue } from "../../forms/useDraftForm";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { FailureAlert } from "../../ui/FailureAlert";
import { plain } from "../../ui/plain";
import { GroupRow } from "./GroupRow";
import { playlistQueries, type Source, useSaveGroups } from "./queries";
import "../../forms/mantine-forms.css";

/** Groups that are shown at once; a list with more is searched. */
const shownGroups = 50;

/** What was chosen here for a group. */
interface Chosen {
  categoryId?: number | null;
  adult?: boolean;
  /** What was stored when it was chosen, here or by the draft that was restored. */
  before?: Chosen;
}

/** By group. */
type Choices = Record<string, Chosen>;

const rule = { type: "object", properties: { categories: { type: "object" } } } as const;

export default function GroupsDialog({ source: opened, onClose }: { source: Source; onClose: () => void }) {
  const { t } = useTranslation();
  // The version of the opening or of the last answer to a save, never one that was read meanwhile: its categories were not shown
  // in this dialog.
  const [source, setSource] = useState(opened);
  const { data, error, refetch } = useQuery(playlistQueries.groups(source.id));
  const categories = useCategoryOptions("TV_CHANNEL");
  const [draft] = useState(() => new Draft<{ categories: Choices }>({ categories: {} }, rule));
  const chosen = useDraftValue<Choices>(draft, "categories");
  const setChosen = (next: Choices) => draft.set("categories", next);
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `playlist-groups ${source.id}`,
    labels: "playlists",
    onRestored: () => keepOwn(source),
  });
  /** Chosen here, while another user chose another category, or decided about adults. */
  const [lost, setLost] = useState<readonly string[]>([]);
  const keepOwn = (now: Source) => {
    const choices = (draft.get("categories") ?? {}) as Choices;
    const isTheirs = (group: string) => {
      const stored = storedFor(now, group);
      const { categoryId, adult, before = stored } = choices[group] ?? {};
      return (
        (categoryId !== undefined &&
          stored.categoryId !== (before.categoryId ?? null) &&
          stored.categoryId !== categoryId) ||
        (adult !== undefined && stored.adult !== before.adult && stored.adult !== adult)
      );
    };
    setLost(Object.keys(choices).filter(isTheirs));
    const own = Object.entries(choices).filter(([group]) => !isTheirs(group));
    setChosen(
      Object.fromEntries(own.map(([group, one]) => [group, { ...one, before: storedFor(now, group) }])),
    );
  };
  const save = useSaveGroups(source, (theirs) => {
    keepOwn(theirs);
    setSource(theirs);
  });
  const choose = (group: string, choice: Omit<Chosen, "before">) => {
    const { categoryId, adult } = storedFor(source, group);
    const stored = "adult" in choice ? { adult } : { categoryId };
    const before = { ...chosen[group]?.before, ...stored };
    setChosen({ ...chosen, [group]: { ...chosen[group], ...choice, before } });
  };
  // Always the same, so that the search renders no row again that stays.
  const latestChoose = useRef(choose);
  latestChoose.current = choose;
  const onChoose = useCallback<typeof choose>((group, choice) => latestChoose.current(group, choice), []);
  const [typed, setTyped] = useState("");
  // The rows follow once nothing is typed.
  const search = plain(useDeferredValue(typed));
  const groups = (data ?? []).filter(({ group }) => group !== "");
  const found = search ? groups.filter(({ group }) => plain(group).includes(search)) : groups;
  const shown = found.slice(0, shownGroups);
  const more = found.length - shown.length;
  // Only suggestions that were shown are saved.
  const seen = useRef(new Set<string>());
  useEffect(() => {
    for (const { group } of shown) seen.current.add(group);
  });
  const isLost = (group: string) => chosen[group] === undefined && lost.includes(group);
  const categoryOf = ({ group, suggestion }: (typeof groups)[number]) => {
    const own = chosen[group]?.categoryId;
    if (own !== undefined) return own;
    return storedFor(source, group).categoryId ?? (isLost(group) ? null : suggestion);
  };
  /** What a user decided; otherwise the server goes by the name. */
  const decidedAdult = (group: string) => chosen[group]?.adult ?? storedFor(source, group).adult;
  const isChanged = Object.keys(chosen).length > 0;
  const close = () => {
    abandon();
    onClose();
  };
  const savedAs = useRef(source);
  // What was chosen during the request is compared with what it stored.
  const whenSaved = useCloseWhenSaved(chosen, close, () => keepOwn(savedAs.current));
  const askToClose = () => void askAndClose(isChanged, close);
  const submit = () => {
    const mapped = groups.flatMap((group) => {
      const isSeen = seen.current.has(group.group);
      const categoryId = isSeen ? categoryOf(group) : storedFor(source, group.group).categoryId;
      const adult = decidedAdult(group.group);
      if (!categoryId && adult === undefined) return [];
      return [{ group: group.group, adult, categoryId: categoryId ?? undefined }];
    });
    const listed = new Set(groups.map(({ group }) => group));
    const others = source.categories.filter(({ group }) => !listed.has(group));
    const done = whenSaved();
    const onSuccess = (saved: Source) => {
      savedAs.current = saved;
      setSource(saved);
      done();
    };
    save.mutate([...others, ...mapped], { onSuccess });
  };
  return (
    <Dialog title={t("playlists.groups.title")} onClose={askToClose} size="lg" isForm>
      {isChanged && <LeaveGuard onLeave={abandon} isKept />}
      {error || categories.isError ? (
        <ErrorView
          title={t("list.failed")}
          message={error ? messageOf(error) : t("form.loadFailed")}
          onRetry={() => void (error ? refetch() : categories.refetch())}
        />
      ) : (
        <Stack gap="md">
          {proposal}
          <Text size="sm">{t("playlists.groups.about")}</Text>
          {data && groups.length === 0 && <Text c="dimmed">{t("playlists.groups.none")}</Text>}
          {groups.length > shownGroups && (
            <TextInput
              label={t("playlists.groups.search")}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          <div className="playlist-groups">
            {shown.map((group) => {
              const { categoryId } = chosen[group.group] ?? {};
              const category = categoryOf(group);
              return (
                <GroupRow
                  key={group.group}
                  of={group}
                  categories={categories.options}
                  category={category}
                  isSuggested={
                    categoryId === undefined &&
                    Boolean(category) &&
                    !storedFor(source, group.group).categoryId
                  }
                  isLost={isLost(group.group)}
                  adult={decidedAdult(group.group)}
                  onChoose={onChoose}
                />
              );
            })}
          </div>
          {more > 0 && (
            <Text size="sm" c="dimmed">
              {t("playlists.groups.more", { count: more, number: formatNumber(more) })}
            </Text>
          )}
          {search && found.length === 0 && <Text c="dimmed">{t("form.nothingFound")}</Text>}
          <FailureAlert>{save.error && messageOf(save.error)}</FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={askToClose}>
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

function storedFor({ categories }: Source, name: string): { categoryId: number | null; adult?: boolean } {
  const stored = categories.find(({ group }) => group === name);
  return { categoryId: stored?.categoryId ?? null, adult: stored?.adult ?? undefined };
}
