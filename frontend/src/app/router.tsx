// Which address shows what, and what it takes to see it. Every page is its own download.
import { type ComponentType, type ReactNode, Suspense } from "react";
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { SignInPage } from "../features/sign-in/SignInPage";
import { loadFormTexts, loadPageTexts, loadSeriesTexts, loadUserTexts } from "../i18n";
import { lazyPart } from "../loading/lazyPart";
import { PageSpinner } from "../loading/PageSpinner";
import { paths } from "../routing/paths";
import { ErrorScreen } from "./ErrorScreen";
import { Guard, SignedIn } from "./Guard";
import { loadShell } from "./loadShell";
import { type EntryKey, everyEntry } from "./navigation";

const Shell = lazyPart(loadShell);
const PageFailure = lazyPart(() => import("./layout/PageFailure"));
const HomePage = lazyPart(() => withTexts("dashboards", import("../features/dashboards/HomePage")));
const contents = () => import("../features/catalogue/pages");
const ContentListPage = lazyPart(async () => ({ default: (await contents()).ContentListPage }));
const CreateContentPage = lazyPart(async () => ({ default: (await contents()).CreateContentPage }));
const EditContentPage = lazyPart(async () => ({ default: (await contents()).EditContentPage }));
const ContentDetailsPage = lazyPart(async () => ({ default: (await contents()).ContentDetailsPage }));
const EpisodesPage = lazyPart(async () => {
  const [page] = await Promise.all([
    import("../features/catalogue/episodes/EpisodesPage"),
    loadSeriesTexts(),
  ]);
  return { default: page.EpisodesPage };
});
const users = () => import("../features/users/pages");
const UsersPage = lazyPart(async () => ({ default: (await users()).UsersPage }));
const CreateUserPage = lazyPart(async () => ({ default: (await users()).CreateUserPage }));
const CustomerPage = lazyPart(() =>
  withTexts("customer", import("../features/customer/CustomerPage"), async () => {
    await Promise.all([loadUserTexts(), loadPageTexts("renewals")]);
  }),
);
const EditUserPage = lazyPart(async () => ({ default: (await users()).EditUserPage }));

const CreditsHistoryPage = lazyPart(() =>
  withTexts("creditsHistory", import("../features/credits-history/CreditsHistoryPage"), loadFormTexts),
);
const StatementsPage = lazyPart(() =>
  withTexts("statements", import("../features/statements/StatementsPage")),
);
const RenewalsPage = lazyPart(() =>
  withTexts("renewals", import("../features/renewals/RenewalsPage"), loadFormTexts),
);
const BackupsPage = lazyPart(() => withTexts("backups", import("../features/backups/BackupsPage")));
const OperationsPage = lazyPart(() =>
  withTexts("operations", import("../features/operations/OperationsPage"), loadSeriesTexts),
);
/** The names of all fields there are. */
async function loadFieldTexts() {
  await Promise.all([loadSeriesTexts(), loadUserTexts()]);
}

const CompletenessPage = lazyPart(() =>
  withTexts("completeness", import("../features/completeness/CompletenessPage")),
);
const DuplicatesPage = lazyPart(() =>
  withTexts("completeness", import("../features/catalogue/duplicates/DuplicatesPage"), loadFormTexts),
);
const TrashPage = lazyPart(() =>
  withTexts("history", import("../features/catalogue/trash/TrashPage"), loadFieldTexts),
);
const AuditPage = lazyPart(() => withTexts("history", import("../features/audit/AuditPage"), loadFieldTexts));
const KeysPage = lazyPart(() => withTexts("keys", import("../features/keys/KeysPage"), loadFormTexts));
const LiveProfilesPage = lazyPart(() =>
  withTexts("liveProfiles", import("../features/live-profiles/LiveProfilesPage"), loadFormTexts),
);
const IssuesPage = lazyPart(() =>
  withTexts("issues", import("../features/issues/IssuesPage"), loadFormTexts),
);
const VisitHistoryPage = lazyPart(() =>
  withTexts("visits", import("../features/visit-history/VisitHistoryPage")),
);
const SettingsPage = lazyPart(() =>
  withTexts("appSettings", import("../features/settings/SettingsPage"), loadFormTexts),
);
const ChangePasswordPage = lazyPart(() =>
  withTexts("password", import("../features/password/ChangePasswordPage")),
);
const SessionsPage = lazyPart(() => withTexts("sessions", import("../features/sessions/SessionsPage")));
const WebhooksPage = lazyPart(() =>
  withTexts("webhooks", import("../features/webhooks/WebhooksPage"), loadFormTexts),
);
const CreateWebhookPage = lazyPart(() =>
  withTexts("webhooks", import("../features/webhooks/CreateWebhook"), loadFormTexts),
);
const EditWebhookPage = lazyPart(() =>
  withTexts("webhooks", import("../features/webhooks/EditWebhook"), loadFormTexts),
);
const WebhookPage = lazyPart(() =>
  withTexts("webhooks", import("../features/webhooks/WebhookPage"), loadFormTexts),
);

const GuideHealthPage = lazyPart(() =>
  withTexts("guideHealth", import("../features/guide-health/GuideHealthPage"), loadFormTexts),
);
const LinksPage = lazyPart(() => withTexts("probes", import("../features/links/LinksPage")));
const StreamsPage = lazyPart(() =>
  withTexts("streams", import("../features/links/StreamsPage"), async () => {
    await Promise.all([loadFormTexts(), loadPageTexts("probes")]);
  }),
);
const EpgReviewPage = lazyPart(() =>
  withTexts("epgReview", import("../features/epg-review/EpgReviewPage"), async () => {
    await Promise.all([loadFormTexts(), loadPageTexts("operations")]);
  }),
);
const SchedulePage = lazyPart(() => withTexts("schedule", import("../features/schedule/SchedulePage")));
const PlaylistsPage = lazyPart(() =>
  withTexts("playlists", import("../features/playlists/PlaylistsPage"), loadFormTexts),
);
const CreatePlaylistPage = lazyPart(() =>
  withTexts("playlists", import("../features/playlists/CreatePlaylist"), loadFormTexts),
);
const EditPlaylistPage = lazyPart(() =>
  withTexts("playlists", import("../features/playlists/EditPlaylist"), loadFormTexts),
);
const PlaylistPage = lazyPart(() =>
  withTexts("playlists", import("../features/playlists/PlaylistPage"), async () => {
    await Promise.all([loadFormTexts(), loadPageTexts("operations")]);
  }),
);

/** A page and its own texts, with those of forms where it has one, fetched side by side. */
async function withTexts<Module>(
  texts: Parameters<typeof loadPageTexts>[0],
  module: Promise<Module>,
  more?: () => Promise<void>,
) {
  return (await Promise.all([module, loadPageTexts(texts), more?.()]))[0];
}

const built = everyEntry.filter((entry) => entry.content);

/** The pages that are one address each; their entry says who may open them. */
const pages: { [key in EntryKey]?: ComponentType } = {
  users: UsersPage,
  renewals: RenewalsPage,
  creditsHistory: CreditsHistoryPage,
  statements: StatementsPage,
  backups: BackupsPage,
  completeness: CompletenessPage,
  guideHealth: GuideHealthPage,
  links: LinksPage,
  epgReview: EpgReviewPage,
  schedule: SchedulePage,
  playlists: PlaylistsPage,
  operations: OperationsPage,
  trash: TrashPage,
  audit: AuditPage,
  keys: KeysPage,
  liveProfiles: LiveProfilesPage,
  webhooks: WebhooksPage,
  visitHistory: VisitHistoryPage,
  issues: IssuesPage,
  settings: SettingsPage,
  sessions: SessionsPage,
  changePassword: ChangePasswordPage,
};

const pageRoutes = everyEntry.flatMap(({ key, path, anyOf, adminOnly }): RouteObject[] => {
  const Page = pages[key];
  if (!Page) return [];
  const element = (
    <Guard key={key} anyOf={anyOf} adminOnly={adminOnly}>
      <Page />
    </Guard>
  );
  return [{ path, element }];
});

/** The pages of one kind of content; the kind decides what each takes. */
function contentRoutes({ path, anyOf, content }: (typeof built)[number]): RouteObject[] {
  if (!content) return [];
  const { kind, entity, hasDetails } = content;
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

const userRoutes: RouteObject[] = [
  {
    path: paths.newUser,
    element: (
      <Guard permission="USER_CREATE">
        <CreateUserPage />
      </Guard>
    ),
  },
  {
    path: paths.user(":username"),
    element: (
      <Guard permission="USER_READ">
        <CustomerPage />
      </Guard>
    ),
  },
  {
    path: paths.editUser(":username"),
    element: (
      <Guard permission="USER_UPDATE">
        <EditUserPage />
      </Guard>
    ),
  },
];

const duplicatesRoute: RouteObject = {
  path: paths.duplicates,
  element: (
    <Guard anyOf={everyEntry.find(({ key }) => key === "completeness")?.anyOf}>
      <DuplicatesPage />
    </Guard>
  ),
};

const streamsRoute: RouteObject = {
  path: paths.streams(":id"),
  element: (
    <Guard permission="TVCHANNEL_UPDATE">
      <StreamsPage />
    </Guard>
  ),
};

const webhookRoutes: RouteObject[] = [
  { path: paths.newWebhook, element: <CreateWebhookPage /> },
  { path: paths.webhook(":id"), element: <WebhookPage /> },
  { path: paths.editWebhook(":id"), element: <EditWebhookPage /> },
].map(({ path, element }) => ({ path, element: <Guard adminOnly>{element}</Guard> }));

const playlistRoutes: RouteObject[] = [
  {
    path: paths.newPlaylist,
    element: (
      <Guard permission="PLAYLIST_CREATE">
        <CreatePlaylistPage />
      </Guard>
    ),
  },
  {
    path: paths.playlist(":id"),
    element: (
      <Guard permission="PLAYLIST_READ">
        <PlaylistPage />
      </Guard>
    ),
  },
  {
    path: paths.editPlaylist(":id"),
    element: (
      <Guard permission="PLAYLIST_UPDATE">
        <EditPlaylistPage />
      </Guard>
    ),
  },
];

function later(children: ReactNode) {
  return <Suspense fallback={<PageSpinner />}>{children}</Suspense>;
}

export const routes: RouteObject[] = [
  {
    errorElement: <ErrorScreen />,
    hydrateFallbackElement: <PageSpinner />,
    children: [
      { path: paths.signIn, element: <SignInPage prefetch={loadShell} /> },
      {
        element: <SignedIn>{later(<Shell />)}</SignedIn>,
        children: [
          {
            errorElement: <PageFailure />,
            children: [
              { path: paths.home, element: <HomePage /> },
              ...built.flatMap(contentRoutes),
              duplicatesRoute,
              streamsRoute,
              {
                path: paths.episodes(":id"),
                element: (
                  <Guard permission="TVSHOW_READ">
                    <EpisodesPage />
                  </Guard>
                ),
              },
              ...userRoutes,
              ...webhookRoutes,
              ...playlistRoutes,
              ...pageRoutes,
            ],
          },
        ],
      },
      { path: "*", element: <Navigate to={paths.home} replace /> },
    ],
  },
];

export function createPanelRouter() {
  return createBrowserRouter(routes);
}
