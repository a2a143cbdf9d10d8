// Which address shows what, and what it takes to see it. Every page is its own download.
import { type ComponentType, type ReactNode, Suspense } from "react";
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { type ContentEntry, type Kind, kinds } from "../access/kinds";
import type { Requirement } from "../access/permissions";
import { SignInPage } from "../features/sign-in/SignInPage";
import { lazyPart } from "../loading/lazyPart";
import { PageSpinner } from "../loading/PageSpinner";
import { paths } from "../routing/paths";
import { ErrorScreen } from "./ErrorScreen";
import { Guard, SignedIn } from "./Guard";
import { loadPages } from "./loadPages";
import { Shell } from "./loadShell";
import { type Entry, type EntryKey, everyEntry } from "./navigation";

const PageFailure = lazyPart(() => import("./layout/PageFailure"));
const contents = () => import("../features/catalogue/pages");
const ContentListPage = lazyPart(async () => ({ default: (await contents()).ContentListPage }));
const CreateContentPage = lazyPart(async () => ({ default: (await contents()).CreateContentPage }));
const EditContentPage = lazyPart(async () => ({ default: (await contents()).EditContentPage }));
const ContentDetailsPage = lazyPart(async () => ({ default: (await contents()).ContentDetailsPage }));

type PageName = keyof Awaited<ReturnType<typeof loadPages>>["pages"];

/** An address that leads to one page. */
function pageRoute(path: string, name: PageName, need: Requirement = {}): RouteObject {
  const Page = lazyPart(async (): Promise<{ default: ComponentType }> => (await loadPages()).pages[name]());
  return {
    path,
    element: (
      <Guard key={name} {...need}>
        <Page />
      </Guard>
    ),
  };
}

/** The route of an entry of the menus, with its requirement. */
function entryRoutes({ key, path, anyOf, adminOnly, content }: Entry): RouteObject[] {
  return content
    ? contentRoutes(path, anyOf, content)
    : [pageRoute(path, key as Exclude<EntryKey, Kind>, { anyOf, adminOnly })];
}

/** The pages of one kind of content; the kind decides what each takes. */
function contentRoutes(
  path: string,
  anyOf: Entry["anyOf"],
  { kind, entity, hasDetails }: ContentEntry,
): RouteObject[] {
  return [
    { path, element: <Guard anyOf={anyOf}>{<ContentListPage kind={kind} />}</Guard> },
    {
      path: `${path}/create`,
      element: (
        <Guard permission={`${entity}_CREATE`}>
          <CreateContentPage kind={kind} />
        </Guard>
      ),
    },
    {
      path: `${path}/:id/edit`,
      element: (
        <Guard permission={`${entity}_UPDATE`}>
          <EditContentPage kind={kind} />
        </Guard>
      ),
    },
    ...(hasDetails
      ? [
          {
            path: `${path}/:id`,
            element: (
              <Guard permission={`${entity}_READ`}>
                <ContentDetailsPage kind={kind} />
              </Guard>
            ),
          },
        ]
      : []),
  ];
}

/** Pages that no menu leads to. */
const innerRoutes: RouteObject[] = [
  pageRoute(paths.newUser, "newUser", { permission: "USER_CREATE" }),
  pageRoute(paths.user(":username"), "user", { permission: "USER_READ" }),
  pageRoute(paths.editUser(":username"), "editUser", { permission: "USER_UPDATE" }),
  pageRoute(paths.duplicates, "duplicates", {
    anyOf: everyEntry.find(({ key }) => key === "completeness")?.anyOf,
  }),
  pageRoute(paths.streams(":id"), "streams", { permission: "TVCHANNEL_UPDATE" }),
  pageRoute(paths.episodes(":id"), "episodes", { permission: "TVSHOW_READ" }),
  pageRoute(paths.contents("seasons"), "seasons", { permission: "TVSHOW_READ" }),
  pageRoute(paths.contents("episodes"), "allEpisodes", { permission: "TVSHOW_READ" }),
  pageRoute(paths.newWebhook, "newWebhook", { adminOnly: true }),
  pageRoute(paths.webhook(":id"), "webhook", { adminOnly: true }),
  pageRoute(paths.editWebhook(":id"), "editWebhook", { adminOnly: true }),
  pageRoute(paths.newPlaylist, "newPlaylist", { permission: "PLAYLIST_CREATE" }),
  pageRoute(paths.playlist(":id"), "playlist", { permission: "PLAYLIST_READ" }),
  pageRoute(paths.editPlaylist(":id"), "editPlaylist", { permission: "PLAYLIST_UPDATE" }),
];

function later(children: ReactNode) {
  return <Suspense fallback={<PageSpinner />}>{children}</Suspense>;
}

export const routes: RouteObject[] = [
  {
    errorElement: <ErrorScreen />,
    hydrateFallbackElement: <PageSpinner />,
    children: [
      { path: paths.signIn, element: <SignInPage prefetch={Shell.preload} /> },
      {
        element: <SignedIn>{later(<Shell />)}</SignedIn>,
        children: [
          {
            errorElement: <PageFailure />,
            children: [pageRoute(paths.home, "home"), ...everyEntry.flatMap(entryRoutes), ...innerRoutes],
          },
        ],
      },
      { path: "*", element: <Navigate to={paths.home} replace /> },
    ],
  },
];

/** Starts the download of the page of an address. Ready when a list can be shown: other pages follow the shell. */
export async function loadPage(pathname: string): Promise<void> {
  const kind = kinds.find((one) => pathname === paths.contents(one));
  if (kind) await Promise.all([ContentListPage.preload(), (await contents()).loadList(kind)]);
  else loadPages().catch(() => {});
}

export function createPanelRouter() {
  return createBrowserRouter(routes);
}
