// The shell around every page behind the sign-in: providers, bars, the place where pages appear.
import { MantineProvider } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router";
import { onSessionEnd } from "../../access/session";
import { createQueryClient, invalidateLocalized } from "../../api/queryClient";
import { onLanguageChange } from "../../i18n";
import { afterFirstPage, firstPageIsShown } from "../../loading/firstPage";
import { lazyPart } from "../../loading/lazyPart";
import { NewRelease } from "../../loading/NewRelease";
import { whenIdle } from "../../loading/whenIdle";
import { Confirmations } from "../../ui/Confirmations";
import { loadDropdowns } from "../../ui/dropdown/load";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { Toasts } from "../../ui/Toasts";
import { loadPages } from "../loadPages";
import { CommandPalette } from "./CommandPalette";
import "./mantine.css";
import "./shell.css";
import { TopBar } from "./TopBar";
import { cssVariablesResolver, theme } from "./theme";
import { useKeptFocus } from "./useKeptFocus";

const SideMenu = lazyPart(() => import("./SideMenu"), { isDialog: true });

export default function Shell() {
  const [queryClient] = useState(createQueryClient);
  // Cached data of one user is never shown to the next.
  useEffect(() => onSessionEnd(() => queryClient.clear()), [queryClient]);
  useEffect(() => onLanguageChange(() => invalidateLocalized(queryClient)), [queryClient]);
  useEffect(() => {
    afterFirstPage(loadForLater)().catch(() => {});
    return whenIdle(firstPageIsShown);
  }, []);
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        deduplicateCssVariables={false}
        env={import.meta.env.MODE === "test" ? "test" : "default"}
      >
        <Layout />
        <Confirmations />
        <Toasts />
      </MantineProvider>
    </QueryClientProvider>
  );
}

/** Prefetches the code that the first click on a button or a link needs. An earlier click waits for the same download. */
function loadForLater(): Promise<unknown> {
  return Promise.all([loadDropdowns(), loadPages()]);
}

function Layout() {
  useKeptFocus();
  const { t } = useTranslation();
  const [isMenuOpen, menu] = useDisclosure(false);
  const [wasOpened, setOpened] = useState(false);
  if (isMenuOpen && !wasOpened) setOpened(true);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the side menu closes when the page changes
  useEffect(() => menu.close(), [pathname]);
  return (
    <>
      <a className="skip-link" href="#content">
        {t("layout.skip")}
      </a>
      <TopBar isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
      <Suspense fallback={null}>
        {wasOpened && <SideMenu isOpen={isMenuOpen} onClose={menu.close} />}
      </Suspense>
      <main id="content" className="content" tabIndex={-1}>
        <NewRelease />
        <Suspense fallback={<PageSkeleton isForm={/\/(create|edit|\d+)$/.test(pathname)} />}>
          <Outlet />
        </Suspense>
      </main>
      <CommandPalette />
    </>
  );
}
