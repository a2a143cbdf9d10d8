// The frame around every page behind the sign-in: providers, bars, the place where pages appear.
import { MantineProvider } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router";
import { onSessionEnd } from "../../access/session";
import { createQueryClient } from "../../api/queryClient";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { Finder } from "./Finder";
import "./mantine.css";
import "./shell.css";
import { SideMenu } from "./SideMenu";
import { TopBar } from "./TopBar";
import { cssVariablesResolver, theme } from "./theme";

export default function Shell() {
  const { t } = useTranslation();
  const [queryClient] = useState(createQueryClient);
  // What one person was shown is never kept for the next.
  useEffect(() => onSessionEnd(() => queryClient.clear()), [queryClient]);
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
        <ModalsProvider modalProps={{ centered: true, closeButtonProps: { "aria-label": t("common.close") } }}>
          <Notifications position="bottom-right" limit={4} />
          <Frame />
        </ModalsProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}

function Frame() {
  const { t } = useTranslation();
  const [isMenuOpen, menu] = useDisclosure(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the side menu closes when the page changes
  useEffect(() => menu.close(), [pathname]);
  return (
    <>
      <a className="skip-link" href="#content">
        {t("layout.skip")}
      </a>
      <TopBar isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
      <SideMenu isOpen={isMenuOpen} onClose={menu.close} />
      <main id="content" className="content" tabIndex={-1}>
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      </main>
      <Finder />
    </>
  );
}
