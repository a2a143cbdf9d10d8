// The command palette: opens pages, recent items, and titles and users found by the server, and runs actions on them. Loaded at
// the first use.
import { Modal } from "@mantine/core";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import "../../../ui/modal.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import "@mantine/spotlight/styles.layer.css";
import "./command-palette.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { contentEntries, type Kind } from "../../../access/kinds";
import { recentItems, rememberItem } from "../../../access/recent";
import { useMay, useUser } from "../../../access/session";
import { messageOf } from "../../../api/problem";
import { hasText, textAt } from "../../../i18n";
import { paths } from "../../../routing/paths";
import { ErrorView } from "../../../ui/ErrorView";
import { SearchIcon } from "../../../ui/icons";
import { useDefaultAddress } from "../../../ui/savedViews/useDefaultAddress";
import { ownEntries } from "../../navigation";
import { takeTyped } from "../commandPalette";
import { useMenus } from "../useMenus";
import { splitVerb, useActions, userActions } from "./actions";
import { useFound } from "./found";
import { ranked } from "./rank";

const [store, spotlight] = createSpotlight();

/** Makes the scroll area focusable by keyboard; its type lacks the attribute. */
const focusable = { viewportProps: { tabIndex: 0 } };

interface Choice {
  key: string | number;
  name: string;
  note?: string;
  path: string;
  state?: object;
  rank: number;
  /** Stored as a recent item, under the title of this page. */
  of?: string;
}

interface Section {
  label: string;
  choices: Choice[];
}

export default function CommandPaletteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { username } = useUser();
  const [text, setText] = useState("");
  const { sections, isSearching, failure, retry } = useSections(text, isOpen);
  useEffect(() => {
    if (isOpen) spotlight.open();
    else spotlight.close();
  }, [isOpen]);

  const go = ({ of, name, path, state }: Choice) => {
    if (of) rememberItem(username, { of, name, path });
    spotlight.close();
    navigate(path, { state });
  };
  const list = useRef<HTMLDivElement>(null);
  const [announcement, setAnnouncement] = useState("");
  /** Whether the arrow keys were used since the last letter: the marked result is kept. */
  const hasMoved = useRef(false);
  /** Whether Enter was pressed since the last letter, before the first result. */
  const isAwaited = useRef(false);
  const first = sections[0]?.choices[0];
  const firstKey = first && `${sections[0]?.label} ${first.key}`;
  const nothing = isSearching || failure ? "" : textAt("palette.nothing");
  // The library marks the first of the results at the key press; results of the server arrive later.
  useEffect(() => {
    if (firstKey === undefined || hasMoved.current) return;
    markFirst(list.current);
    setAnnouncement(marked(list.current)?.textContent ?? "");
    if (isAwaited.current) marked(list.current)?.click();
    isAwaited.current = false;
  }, [firstKey]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !marked(list.current)) markFirst(list.current);
    if (event.key === "Enter") isAwaited.current = isSearching && !marked(list.current);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    hasMoved.current = true;
    // The library moves the mark after this.
    setTimeout(() => setAnnouncement(marked(list.current)?.textContent ?? ""));
  };
  const type = (next: string) => {
    hasMoved.current = false;
    isAwaited.current = false;
    setText(next);
  };
  /** Begins with what was typed while the palette was loaded. */
  const begin = () => {
    const typed = takeTyped();
    if (!typed) return;
    type(typed.replaceAll("\n", ""));
    isAwaited.current = typed.endsWith("\n");
  };

  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={text}
      onQueryChange={type}
      onSpotlightClose={onClose}
      clearQueryOnClose
      scrollable
      maxHeight="60dvh"
    >
      <Modal.Title className="visually-hidden">{textAt("palette.title")}</Modal.Title>
      <Spotlight.Search
        placeholder={textAt("palette.placeholder")}
        aria-label={textAt("palette.placeholder")}
        leftSection={<SearchIcon />}
        onKeyDown={onKeyDown}
        onFocus={begin}
      />
      <Spotlight.ActionsList ref={list} aria-label={textAt("palette.results")} {...focusable}>
        {sections.map(({ label, choices }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {choices.map((choice) => (
              <Spotlight.Action
                key={choice.key}
                label={choice.name}
                description={choice.note}
                onClick={() => go(choice)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {sections.length === 0 && !failure && (
          <Spotlight.Empty>{isSearching ? t("common.loading") : textAt("palette.nothing")}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      {failure && <ErrorView title={textAt("palette.failed")} message={messageOf(failure)} onRetry={retry} />}
      {/* The library marks the chosen result only visually. */}
      <output className="visually-hidden" aria-live="polite">
        {firstKey === undefined ? nothing : announcement}
      </output>
      {text === "" && <Spotlight.Footer className="palette-hint">{textAt("palette.hint")}</Spotlight.Footer>}
    </Spotlight.Root>
  );
}

function marked(list: HTMLElement | null): HTMLElement | null | undefined {
  return list?.querySelector<HTMLElement>("[data-selected]");
}

/** Marks the first result again, as better ones are inserted above. */
function markFirst(list: HTMLElement | null): void {
  marked(list)?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Kinds that are opened on the page of their show. */
const partsOfShows: readonly string[] = ["seasons", "episodes"];

const isKind = (of: string): of is Kind => Object.hasOwn(contentEntries, of);

const readPath = (path: string) => path.replace(/\/edit$/, "");

/** Sections of results, the section with the best result first. */
function useSections(text: string, isOpen: boolean) {
  const { t } = useTranslation();
  const { username } = useUser();
  const may = useMay();
  const { verb, rest } = splitVerb(text);
  // A search with a verb shows actions, not pages.
  const { groups, foundUsers, ...search } = useFound(rest, isOpen, verb !== undefined);
  const pages = usePages(isOpen);
  const opened = useMenus().flatMap((menu) => menu.entries.map(({ key }) => key as string));
  const actions = [...useActions(text), ...userActions(foundUsers, verb)].toSorted(
    (one, other) => one.rank - other.rank,
  );
  const recent = isOpen
    ? recentItems(username)
        // Items that the user opened in a former role may be forbidden now.
        .filter(
          ({ of }) => hasText(`pages.${of}`) && opened.includes(partsOfShows.includes(of) ? "tv-shows" : of),
        )
        .map((item) => ({
          ...item,
          // The user may have lost the permission to edit since; the page of the item needs only the permission to read.
          path:
            isKind(item.of) && !may(`${contentEntries[item.of].entity}_UPDATE`)
              ? readPath(item.path)
              : item.path,
          key: item.path,
          note: textAt(`pages.${item.of}`),
        }))
    : [];
  const found = verb
    ? []
    : groups.map(({ of, found }) => ({
        label: t(`pages.${of}`),
        choices: found.map((one) => ({ ...one, key: one.id, note: one.note ?? one.alias, of })),
      }));
  const sections: Section[] = [
    { label: textAt("palette.recent"), choices: ranked(recent, text) },
    { label: textAt("palette.pages"), choices: ranked(pages, text) },
    ...found,
    { label: textAt("palette.actions"), choices: actions },
  ];
  const best = ({ choices }: Section) => choices[0]?.rank ?? 9;
  return {
    sections: sections
      .filter(({ choices }) => choices.length > 0)
      .toSorted((one, other) => best(one) - best(other)),
    ...search,
  };
}

/** The tabs of the general settings, as results of their own. */
const settingsTabs = ["images", "control", "messages", "renewals"] as const;

function usePages(isOpen: boolean) {
  const { t } = useTranslation();
  const addressOf = useDefaultAddress(isOpen);
  const entries = [...useMenus().flatMap((menu) => menu.entries), ...ownEntries];
  const pages = entries.map((entry) => {
    const { to, state } = addressOf(entry);
    return { key: entry.key as string, name: t(`pages.${entry.key}`), path: to, state };
  });
  const settings = entries.some(({ key }) => key === "settings") ? settingsTabs : [];
  const tabs = settings.map((tab) => ({
    key: `settings ${tab}`,
    name: textAt(`palette.settings.${tab}`),
    path: paths.settingsTab(tab),
    state: undefined,
  }));
  return [...pages, ...tabs];
}
