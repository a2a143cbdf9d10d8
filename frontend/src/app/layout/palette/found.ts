// Search results of the server among titles and users that the caller may read, best first.
import { useDebouncedValue } from "@mantine/hooks";
import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { contentEntries, type Kind, kinds } from "../../../access/kinds";
import { useMay, useUser } from "../../../access/session";
import { categoryName } from "../../../api/storedOptions";
import type { ListedKind, Row } from "../../../features/catalogue/contents";
import { episodeAddress, seasonAddress } from "../../../features/catalogue/episodes/names";
import { contentQueries } from "../../../features/catalogue/queries";
import { userQueries } from "../../../features/users/queries";
import { type Allowed, allowedWith } from "../../../features/users/user";
import { paths } from "../../../routing/paths";
import { leastRank, type Ranked, ranked } from "./rank";

/** A list finds a substring anywhere, the oldest first: of more than so many, those that begin with it are requested too. */
const looked = 20;
const shown = 5;
const leastLetters = 2;

/** The number of a channel, which has one digit as often as not. */
const isNumber = (text: string) => /^\d{1,9}$/.test(text);

interface Found extends Ranked {
  id: number | string;
  path: string;
  rank: number;
}

export interface FoundUser extends Found {
  username: string;
  allowed: Allowed;
  /** Uses the application, and has a subscription. */
  isCustomer: boolean;
}

interface Group {
  of: ListedKind | "users";
  found: Found[];
}

export function useFound(text: string, isOpen: boolean, isForUsers: boolean) {
  const wanted = text.trim();
  const [settled] = useDebouncedValue(wanted, 250);
  const isOn = isOpen && settled.length >= leastLetters;
  const users = useUsers(settled, isOn);
  const contents = useContents(settled, isOn && !isForUsers, isOpen && !isForUsers && isNumber(settled));
  // While typing, previous results that match the new words stay: Enter opens no other.
  // The server also finds users by phone and e-mail, which these rows do not show: under the same words all of them stay.
  const named = ranked(users.rows, wanted);
  const found = settled === wanted ? users.rows.map((row) => ({ ...row, rank: leastRank })) : [];
  const others = found.filter((row) => !named.some(({ id }) => id === row.id));
  const foundUsers = [...named, ...others].slice(0, shown);
  const groups: Group[] = [
    { of: "users", found: foundUsers },
    ...contents.groups.map(({ of, rows }) => ({ of, found: ranked(rows, wanted).slice(0, shown) })),
  ];
  return {
    groups: groups.filter(({ found }) => found.length > 0),
    foundUsers,
    /** Why a part of the search failed, and how to repeat that part. */
    failure: users.failure ?? contents.failure,
    retry: () => {
      users.retry();
      contents.retry();
    },
    isSearching:
      (wanted.length >= leastLetters || isNumber(wanted)) &&
      (settled !== wanted || users.isFetching || contents.isFetching),
  };
}

/** The users under these words, and where there are many, those whose name or username begins with them. */
function useUsers(search: string, isOn: boolean) {
  const may = useMay();
  const caller = useUser();
  const isSearched = isOn && may("USER_READ");
  const anywhere = useQuery({
    ...userQueries.list({ page: 0, size: looked, sort: "", search, filters: {} }),
    placeholderData: undefined,
    enabled: isSearched,
  });
  const beginning = useQuery({
    ...userQueries.list({
      page: 0,
      size: shown,
      sort: "fullName",
      search: "",
      filters: { startsWith: search },
    }),
    placeholderData: undefined,
    enabled: isSearched && (anywhere.data?.totalElements ?? 0) > looked,
  });
  const answers = [beginning, anywhere];
  const found = new Map(
    (isOn ? answers : [])
      .flatMap(({ data }) => data?.content ?? [])
      .map((row) => [row.username, row] as const),
  );
  const rows = [...found.values()].map((row): Omit<FoundUser, "rank"> => {
    const { username, fullName } = row;
    const allowed = allowedWith(caller, row);
    return {
      id: username,
      username,
      name: fullName,
      alias: username,
      allowed,
      isCustomer: row.role.code === "app",
      path: paths.user(username),
    };
  });
  return { rows, ...stateOf(answers, isOn) };
}

/**
 * What each kind has under these words, and where there is much of it, what begins with them; the channels that have
 * this number first.
 */
function useContents(search: string, isOn: boolean, isNumbered: boolean) {
  const may = useMay();
  const numbered = useQuery({
    ...contentQueries.list("tv-channels", {
      page: 0,
      size: shown,
      sort: "",
      search: "",
      filters: { channelNumber: search },
    }),
    placeholderData: undefined,
    enabled: isNumbered && may("TVCHANNEL_READ"),
  });
  const searched: ListedKind[] = kinds.filter((kind) => may(`${contentEntries[kind].entity}_READ`));
  if (may("TVSHOW_READ")) searched.push("seasons", "episodes");
  const anywhere = useQueries({
    queries: searched.map((kind) => ({
      ...contentQueries.list<ListedKind>(kind, { page: 0, size: looked, sort: "", search, filters: {} }),
      placeholderData: undefined,
      enabled: isOn,
    })),
  });
  const beginning = useQueries({
    queries: searched.map((kind, index) => ({
      ...contentQueries.list<ListedKind>(kind, {
        page: 0,
        size: shown,
        sort: nameOf(kind),
        search: "",
        filters: { startsWith: search },
      }),
      placeholderData: undefined,
      enabled: isOn && (anywhere[index]?.data?.totalElements ?? 0) > looked,
    })),
  });
  const groups = searched.map((kind, index) => {
    const answers = [
      isNumbered && kind === "tv-channels" ? numbered : undefined,
      ...(isOn ? [beginning[index], anywhere[index]] : []),
    ];
    const rows = new Map(
      answers.flatMap((answer) => answer?.data?.content ?? []).map((row) => [row.id, row] as const),
    );
    return { of: kind, rows: [...rows.values()].flatMap((row) => toFound(kind, row, may)) };
  });
  const answers = [...(isOn ? [...anywhere, ...beginning] : []), ...(isNumbered ? [numbered] : [])];
  return { groups, ...stateOf(answers, answers.length > 0) };
}

type Answer = Pick<UseQueryResult, "isFetching" | "error" | "refetch">;

function stateOf(answers: readonly Answer[], isOn: boolean) {
  const failed = isOn ? answers.filter(({ error }) => error) : [];
  return {
    isFetching: answers.some(({ isFetching }) => isFetching),
    failure: failed[0]?.error,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

/** The field that has the name of an item, by which its list is ordered. */
function nameOf(kind: ListedKind): string {
  if (kind === "categories") return "description";
  return kind === "radio-stations" ? "stationName" : "title";
}

function toFound(
  kind: ListedKind,
  row: Row<ListedKind>,
  may: ReturnType<typeof useMay>,
): Omit<Found, "rank">[] {
  if ("tvShowId" in row) return ofShow(row, may("TVSHOW_UPDATE"));
  const { entity, hasDetails } = contentEntries[kind as Kind];
  const path = may(`${entity}_UPDATE`)
    ? paths.editContent(kind, row.id)
    : hasDetails
      ? paths.content(kind, row.id)
      : paths.contents(kind);
  return [{ id: row.id, path, ...nameAndNote(row) }];
}

/** An episode, or a season that has a title: one without is found by its show. */
function ofShow(row: Row<"seasons" | "episodes">, mayEdit: boolean): Omit<Found, "rank">[] {
  const { id, tvShowTitle, seasonNumber, title } = row;
  if (!title) return [];
  if (!("episodeNumber" in row)) return [{ id, name: title, note: tvShowTitle, path: seasonAddress(row) }];
  const number = `S${seasonNumber}E${row.episodeNumber}`;
  const path = episodeAddress(row, mayEdit);
  return [{ id, name: title, alias: number, note: `${tvShowTitle} · ${number}`, path }];
}

/** What a row is called, and what distinguishes it from others of that name. */
function nameAndNote(row: Row): Ranked {
  if ("description" in row) return { name: categoryName(row) };
  if ("stationName" in row) return { name: row.stationName, note: row.country };
  if ("year" in row) return { name: row.title, note: String(row.year) };
  if ("channelNumber" in row)
    return { name: row.title, alias: String(row.channelNumber), note: String(row.channelNumber) };
  return { name: row.title };
}
