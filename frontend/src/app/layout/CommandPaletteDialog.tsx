// The command palette: the panel's pages first, then what the server finds among titles and users. Fetched at the first use.
import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import "../../ui/modal.css";
import "@mantine/spotlight/styles.layer.css";
import "./command-palette.css";
import { useQueries, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { contentEntries, type Kind, kinds } from "../../access/kinds";
import { useMay } from "../../access/session";
import { categoryName } from "../../features/catalogue/categoryOptions";
import type { Row } from "../../features/catalogue/contents";
import { contentQueries } from "../../features/catalogue/queries";
import { userQueries } from "../../features/users/queries";
import { textAt } from "../../i18n";
import { paths } from "../../routing/paths";
import { useDefaultAddress } from "../../savedViews/useDefaultAddress";
import { SearchIcon } from "../../ui/icons";
import { plain } from "../../ui/plain";
import { type Entry, ownEntries } from "../navigation";
import { useMenus } from "./useMenus";

const [store, spotlight] = createSpotlight();
const shownPerKind = 5;

export default function CommandPaletteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const pages = useMatchingPages(text);
  const { groups, isSearching } = useFound(text, isOpen);
  const addressOf = useDefaultAddress(isOpen);
  useEffect(() => {
    if (isOpen) spotlight.open();
    else spotlight.close();
  }, [isOpen]);

  const go = (path: string) => {
    spotlight.close();
    navigate(path);
  };
  const list = useRef<HTMLDivElement>(null);
  const count = pages.length + groups.reduce((sum, group) => sum + group.found.length, 0);
  // The library marks the first result of what is there when a key is pressed; the server's come later.
  useEffect(() => {
    if (count > 0) firstAction(list.current)?.setAttribute("data-selected", "true");
  }, [count]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") firstAction(list.current)?.setAttribute("data-selected", "true");
  };

  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={text}
      onQueryChange={setText}
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
      />
      <Spotlight.ActionsList ref={list} aria-label={textAt("palette.results")}>
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={textAt("palette.pages")}>
            {pages.map((page) => (
              <Spotlight.Action
                key={page.key}
                label={t(`pages.${page.key}`)}
                onClick={() => go(addressOf(page))}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {groups.map(({ of, found }) => (
          <Spotlight.ActionsGroup key={of} label={t(`pages.${of}`)}>
            {found.map(({ id, name, note, path }) => (
              <Spotlight.Action key={id} label={name} description={note} onClick={() => go(path)} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {count === 0 && (
          <Spotlight.Empty>{isSearching ? t("common.loading") : textAt("palette.nothing")}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The first result, unless one is marked already. */
function firstAction(list: HTMLElement | null): Element | null | undefined {
  return list?.querySelector("[data-selected]") ? undefined : list?.querySelector("[data-action]");
}

function useMatchingPages(text: string): Entry[] {
  const { t } = useTranslation();
  const entries = [...useMenus().flatMap((menu) => menu.entries), ...ownEntries];
  const wanted = plain(text);
  return entries.filter((entry) => plain(t(`pages.${entry.key}`)).includes(wanted));
}

/** What each searchable kind has under these words, for who may read it. */
function useFound(text: string, isOpen: boolean) {
  const may = useMay();
  const [settled] = useDebouncedValue(text.trim(), 250);
  const searched = kinds.filter((kind) => may(`${contentEntries[kind].entity}_READ`));
  const isOn = isOpen && settled.length >= 2;
  const request = { page: 0, size: shownPerKind, sort: "", search: settled, filters: {} };
  const people = useQuery({
    ...userQueries.list(request),
    placeholderData: undefined,
    enabled: isOn && may("USER_READ"),
  });
  const answers = useQueries({
    queries: searched.map((kind) => ({
      ...contentQueries.list<Kind>(kind, request),
      placeholderData: undefined,
      enabled: isOn,
    })),
  });
  const users = isOn ? (people.data?.content ?? []) : [];
  const groups: Group[] = [
    {
      of: "users",
      found: users.map((row) => ({
        id: row.username,
        name: row.fullName,
        note: row.username,
        path: paths.user(row.username),
      })),
    },
    ...searched.map((kind, index) => ({
      of: kind,
      found: (isOn ? (answers[index]?.data?.content ?? []) : []).map((row) => toFound(kind, row, may)),
    })),
  ];
  const isFetching = people.isFetching || answers.some((answer) => answer.isFetching);
  const isSettled = settled === text.trim();
  return {
    groups: groups
      .map(({ of, found }) => ({ of, found: isSettled ? found : found.filter((one) => isNamed(one, text)) }))
      .filter(({ found }) => found.length > 0),
    isSearching: !isSettled || isFetching,
  };
}

/** While somebody types on, results of the former words stay that have the new ones too: Enter opens no other. */
function isNamed({ name, note = "" }: Found, text: string): boolean {
  return plain(`${name} ${note}`).includes(plain(text.trim()));
}

interface Found {
  id: number | string;
  name: string;
  note?: string;
  path: string;
}

interface Group {
  of: Kind | "users";
  found: Found[];
}

function toFound(kind: Kind, row: Row, may: ReturnType<typeof useMay>): Found {
  const { entity, hasDetails } = contentEntries[kind];
  const path = may(`${entity}_UPDATE`)
    ? paths.editContent(kind, row.id)
    : hasDetails
      ? paths.content(kind, row.id)
      : paths.contents(kind);
  return { id: row.id, path, ...nameAndNote(row) };
}

/** What a row is called, and what distinguishes it from others of that name. */
function nameAndNote(row: Row): { name: string; note?: string } {
  if ("description" in row) return { name: categoryName(row) };
  if ("stationName" in row) return { name: row.stationName, note: row.country };
  if ("year" in row) return { name: row.title, note: String(row.year) };
  return { name: row.title, note: "channelNumber" in row ? String(row.channelNumber) : undefined };
}
