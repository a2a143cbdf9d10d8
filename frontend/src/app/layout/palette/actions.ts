// Actions of the palette: creating, exporting, and selling and renewing for users found.
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind, kinds } from "../../../access/kinds";
import { isAdmin } from "../../../access/permissions";
import { useMay, useUser } from "../../../access/session";
import { comparedKinds } from "../../../api/completeness.gen";
import { textAt } from "../../../i18n";
import { paths } from "../../../routing/paths";
import { plain } from "../../../ui/plain";
import type { EntryKey } from "../../navigation";
import type { FoundUser } from "./found";
import { ranked } from "./rank";

interface Action {
  key: string;
  name: string;
  path: string;
  /** What the page opens at once. */
  state?: object;
  rank: number;
}

/** Actions that name no item, by what is typed. */
export function useActions(text: string): Action[] {
  useTranslation(); // The names follow the language.
  const may = useMay();
  const user = useUser();
  const contents = kinds.flatMap((kind) => contentActions(kind, may));
  const mayWithAny = (what: "UPDATE" | "DELETE") =>
    kinds.some((kind) => may(`${contentEntries[kind].entity}_${what}`));
  const mayMergeAny = comparedKinds.some((kind) => {
    const { entity } = contentEntries[kind];
    return may(`${entity}_UPDATE`) && may(`${entity}_DELETE`);
  });
  const others = [
    may("USER_CREATE") && { key: "user", name: textAt("palette.createUser"), path: paths.newUser },
    may("USER_UPDATE") && { key: "renew", name: textAt("palette.renewMany"), path: paths.renewals },
    may("PLAYLIST_CREATE") && {
      key: "playlist",
      name: textAt("palette.createPlaylist"),
      path: paths.newPlaylist,
    },
    may("TVSHOW_READ") && exportAs("seasons", textAt("pages.seasons"), paths.contents("seasons")),
    may("TVSHOW_READ") && exportAs("episodes", textAt("pages.episodes"), paths.contents("episodes")),
    may("USER_READ") && exportOf("users", paths.users),
    may("USER_UPDATE") && exportOf("renewals", paths.renewals),
    may("CREDIT_HISTORY_READ") && exportOf("creditsHistory", paths.creditsHistory),
    may("VIEW_HISTORY_READ") && exportOf("visitHistory", paths.visitHistory),
    may("ISSUES_READ") && exportOf("issues", paths.issues),
    mayWithAny("UPDATE") && exportOf("operations", paths.operations),
    mayWithAny("DELETE") && exportOf("trash", paths.trash),
    may("TVCHANNEL_READ") && exportOf("schedule", paths.schedule),
    may("TVCHANNEL_READ") && may("TVGUIDE_READ") && exportOf("guideHealth", paths.guideHealth),
    may("TVCHANNEL_READ") && exportOf("epgReview", paths.epgReview),
    may("TVCHANNEL_READ") && exportOf("links", paths.links),
    may("PLAYLIST_READ") && exportOf("playlists", paths.playlists),
    may("LIVE_PROFILE_READ") && exportOf("liveProfiles", paths.liveProfiles),
    may("ISSUES_READ") && exportOfNamed("issueGroups", `${paths.issues}?grouped=1`),
    mayMergeAny && exportOfNamed("duplicates", paths.duplicates),
    isAdmin(user) && exportOf("audit", paths.audit),
    isAdmin(user) && exportOf("keys", paths.keys),
    isAdmin(user) && exportOf("webhooks", paths.webhooks),
    isAdmin(user) && { key: "webhook", name: textAt("palette.createWebhook"), path: paths.newWebhook },
  ].filter((action) => action !== false);
  const all = [...others, ...contents];
  // Without words there would be two for each kind; inside of a word there is nothing to do.
  return text.trim() === "" ? [] : ranked(all, text).filter(({ rank }) => rank < 2);
}

const exportOf = (list: EntryKey, path: string) => exportAs(list, textAt(`pages.${list}`), path);

/** Of a list without an entry in the menus. */
const exportOfNamed = (list: "issueGroups" | "duplicates", path: string) =>
  exportAs(list, textAt(`palette.lists.${list}`), path);

function exportAs(key: string, list: string, path: string) {
  return { key: `export ${key}`, name: textAt("palette.export", { list }), path, state: { opens: "export" } };
}

function contentActions(kind: Kind, may: ReturnType<typeof useMay>): Omit<Action, "rank">[] {
  const { entity } = contentEntries[kind];
  return [
    ...(may(`${entity}_CREATE`)
      ? [
          {
            key: `create ${kind}`,
            name: textAt(`contents.${kind}.create`),
            path: paths.newContent(kind),
          },
        ]
      : []),
    ...(may(`${entity}_READ`) ? [exportOf(kind, paths.contents(kind))] : []),
  ];
}

type Verb = "sell" | "renew";

/** The verb that the words begin with, and the words after it: «vender a ana» asks whom to sell to. */
export function splitVerb(text: string): { verb?: Verb; rest: string } {
  for (const verb of ["sell", "renew"] as const)
    for (const opening of textAt(`palette.${verb}Words`).split("|"))
      if (plain(text).startsWith(`${opening} `)) return { verb, rest: plain(text).slice(opening.length + 1) };
  return { rest: text };
}

/** The most users with an action of selling where the search has no verb. */
const mostWithoutVerb = 2;

/** Actions of selling to the users found; with the verb "renew", customers only. */
export function userActions(users: readonly FoundUser[], verb: Verb | undefined): Action[] {
  const customers = users.filter(
    ({ allowed, isCustomer }) => allowed.credits && (verb !== "renew" || isCustomer),
  );
  return customers.slice(0, verb ? undefined : mostWithoutVerb).map(({ username, rank }) => ({
    key: `sell ${username}`,
    name: textAt(`palette.${verb ?? "sell"}`, { username }),
    path: paths.userCredits(username),
    // A search without a verb need not be for a sale.
    rank: verb ? rank : 4,
  }));
}
