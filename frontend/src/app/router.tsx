// Which address shows what, and what it takes to see it. Every page is its own download.
import { lazy, type ReactNode, Suspense } from "react";
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { Guard, SignedIn } from "../access/Guard";
import { SignInPage } from "../features/sign-in/SignInPage";
import { loadFormTexts, loadPageTexts, loadSeriesTexts } from "../i18n";
import { ErrorScreen } from "./ErrorScreen";
import { loadShell } from "./loadShell";
import { everyEntry } from "./navigation";
import { PageSpinner } from "./PageSpinner";
import { paths } from "./paths";

const Shell = lazy(loadShell);
const PageFailure = lazy(() => import("./layout/PageFailure"));
const HomePage = lazy(() => withTexts("dashboards", import("../features/home/HomePage")));
const contents = () => import("../features/catalogue/pages");
const ContentListPage = lazy(async () => ({ default: (await contents()).ContentListPage }));
const CreateContentPage = lazy(async () => ({ default: (await contents()).CreateContentPage }));
const EditContentPage = lazy(async () => ({ default: (await contents()).EditContentPage }));
const ContentDetailsPage = lazy(async () => ({ default: (await contents()).ContentDetailsPage }));
const EpisodesPage = lazy(async () => {
  const [page] = await Promise.all([
    import("../features/catalogue/episodes/EpisodesPage"),
    loadSeriesTexts(),
  ]);
  return { default: page.EpisodesPage };
});
const users = () => import("../features/users/pages");
const UsersPage = lazy(async () => ({ default: (await users()).UsersPage }));
const CreateUserPage = lazy(async () => ({ default: (await users()).CreateUserPage }));
const EditUserPage = lazy(async () => ({ default: (await users()).EditUserPage }));

const CreditsHistoryPage = lazy(() =>
  withTexts("creditsHistory", import("../features/credits-history/CreditsHistoryPage")),
);
const BackupsPage = lazy(() => withTexts("backups", import("../features/backups/BackupsPage")));
const KeysPage = lazy(() => withTexts("keys", import("../features/keys/KeysPage"), loadFormTexts));
const IssuesPage = lazy(() => withTexts("issues", import("../features/issues/IssuesPage")));
const VisitHistoryPage = lazy(() =>
  withTexts("visits", import("../features/visit-history/VisitHistoryPage")),
);
const SettingsPage = lazy(() =>
  withTexts("appSettings", import("../features/settings/SettingsPage"), loadFormTexts),
);
const ChangePasswordPage = lazy(() =>
  withTexts("password", import("../features/password/ChangePasswordPage")),
);
const SessionsPage = lazy(() => withTexts("sessions", import("../features/sessions/SessionsPage")));
const WebhooksPage = lazy(() =>
  withTexts("webhooks", import("../features/webhooks/WebhooksPage"), loadFormTexts),
);
const CreateWebhookPage = lazy(() =>
  withTexts("webhooks", import("../features/webhooks/CreateWebhook"), loadFormTexts),
);
const EditWebhookPage = lazy(() =>
  withTexts("webhooks", import("../features/webhooks/EditWebhook"), loadFormTexts),
);
const WebhookPage = lazy(() =>
  withTexts("webhooks", import("../features/webhooks/WebhookPage"), loadFormTexts),
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
    path: paths.users,
    element: (
      <Guard permission="USER_READ">
        <UsersPage />
      </Guard>
    ),
  },
  {
    path: paths.newUser,
    element: (
      <Guard permission="USER_CREATE">
        <CreateUserPage />
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

const webhookRoutes: RouteObject[] = [
  { path: paths.webhooks, element: <WebhooksPage /> },
  { path: paths.newWebhook, element: <CreateWebhookPage /> },
  { path: paths.webhook(":id"), element: <WebhookPage /> },
  { path: paths.editWebhook(":id"), element: <EditWebhookPage /> },
].map(({ path, element }) => ({ path, element: <Guard adminOnly>{element}</Guard> }));

function later(children: ReactNode) {
  return <Suspense fallback={<PageSpinner />}>{children}</Suspense>;
}

export const routes: RouteObject[] = [
  {
    errorElement: <ErrorScreen />,
    hydrateFallbackElement: <PageSpinner />,
    children: [
      { path: paths.signIn, element: <SignInPage /> },
      {
        element: <SignedIn>{later(<Shell />)}</SignedIn>,
        children: [
          {
            errorElement: <PageFailure />,
            children: [
              { path: paths.home, element: <HomePage /> },
              ...built.flatMap(contentRoutes),
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
              {
                path: paths.creditsHistory,
                element: (
                  <Guard permission="CREDIT_HISTORY_READ">
                    <CreditsHistoryPage />
                  </Guard>
                ),
              },
              {
                path: paths.backups,
                element: (
                  <Guard adminOnly>
                    <BackupsPage />
                  </Guard>
                ),
              },
              {
                path: paths.keys,
                element: (
                  <Guard adminOnly>
                    <KeysPage />
                  </Guard>
                ),
              },
              {
                path: paths.visitHistory,
                element: (
                  <Guard permission="VIEW_HISTORY_READ">
                    <VisitHistoryPage />
                  </Guard>
                ),
              },
              {
                path: paths.issues,
                element: (
                  <Guard permission="ISSUES_READ">
                    <IssuesPage />
                  </Guard>
                ),
              },
              {
                path: paths.settings,
                element: (
                  <Guard anyOf={["APP_SETTINGS_READ", "APP_SETTINGS_UPDATE"]}>
                    <SettingsPage />
                  </Guard>
                ),
              },
              { path: paths.sessions, element: <SessionsPage /> },
              { path: paths.changePassword, element: <ChangePasswordPage /> },
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
