// The top bar: name, menus, command palette, language, scheme, user. Under 992 px the menus move behind a burger.
import { ActionIcon, Button, UnstyledButton } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { useMay, useSession, useUser } from "../../access/session";
import { loadTexts } from "../../i18n";
import { LanguageSwitch } from "../../i18n/LanguageSwitch";
import { afterFirstPage } from "../../loading/firstPage";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { MenuButton } from "../../ui/dropdown/MenuButton";
import { DevicesIcon, DownIcon, KeyIcon, MenuIcon, SearchIcon, SignOutIcon, UserIcon } from "../../ui/icons";
import { useDefaultAddress } from "../../ui/savedViews/useDefaultAddress";
import { changePassword, type Menu as MenuOf, ownSessions } from "../navigation";
import { openCommandPalette } from "./commandPalette";
import { SchemeSwitch } from "./SchemeSwitch";
import { useMenus } from "./useMenus";

const RunningJobs = lazyPart(
  afterFirstPage(async () => (await Promise.all([import("./RunningJobs"), loadTexts("activity")]))[0]),
);
const Stock = lazyPart(() => import("./Stock"));
const Bell = lazyPart(
  afterFirstPage(async () => (await Promise.all([import("./Bell"), loadTexts("notices")]))[0]),
);

export function TopBar({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const { t } = useTranslation();
  const menus = useMenus();
  const { roleCode } = useUser();
  const may = useMay();
  return (
    <header className="top-bar">
      <ActionIcon
        className="narrow-only"
        variant="subtle"
        color="gray"
        size="lg"
        onClick={onMenu}
        aria-expanded={isMenuOpen}
        aria-label={isMenuOpen ? t("layout.closeMenu") : t("layout.openMenu")}
      >
        <MenuIcon size={22} />
      </ActionIcon>
      <Link to={paths.home} className="brand">
        <img src="/favicon.svg" alt="" width="28" height="28" />
        <span>{t("product.name")}</span>
      </Link>
      <nav className="wide-only top-menus" aria-label={t("layout.menus")}>
        {menus.map((menu) => (
          <TopMenu key={menu.key} menu={menu} />
        ))}
      </nav>
      <div className="top-tools">
        <Suspense fallback={null}>
          <RunningJobs />
        </Suspense>
        <Suspense fallback={null}>{roleCode === "agent" && <Stock />}</Suspense>
        {may("USER_UPDATE") && (
          <Suspense fallback={<span className="bell-place" />}>
            <Bell />
          </Suspense>
        )}
        <CommandPaletteButton />
        <span className="wide-only">
          <LanguageSwitch />
        </span>
        <SchemeSwitch />
        <UserMenu />
      </div>
    </header>
  );
}

function TopMenu({ menu }: { menu: MenuOf }) {
  const [isIntended, setIntended] = useState(false);
  const addressOf = useDefaultAddress(isIntended);
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const isHere = menu.entries.some(
    (entry) => pathname === entry.path || pathname.startsWith(`${entry.path}/`),
  );
  return (
    <MenuButton
      button={(props) => (
        <Button
          {...props}
          variant="subtle"
          color="gray"
          data-here={isHere || undefined}
          rightSection={<DownIcon size={14} />}
          onPointerEnter={() => setIntended(true)}
          onFocus={() => setIntended(true)}
        >
          {t(`menus.${menu.key}`)}
        </Button>
      )}
      position="bottom-start"
      width="max-content"
      withinPortal={false}
      entries={menu.entries.map((entry) => ({
        key: entry.key,
        label: t(`pages.${entry.key}`),
        ...addressOf(entry),
        isCurrent: pathname === entry.path,
      }))}
    />
  );
}

function CommandPaletteButton() {
  const { t } = useTranslation();
  return (
    <UnstyledButton
      className="palette-button"
      onClick={openCommandPalette}
      aria-label={t("palette.open")}
      aria-keyshortcuts="Control+K"
    >
      <SearchIcon />
      <span className="palette-label">{t("palette.open")}</span>
      <kbd className="palette-label">Ctrl K</kbd>
    </UnstyledButton>
  );
}

function UserMenu() {
  const { t } = useTranslation();
  const { signOut } = useSession();
  const user = useUser();
  return (
    <MenuButton
      button={(props) => (
        <Button
          {...props}
          variant="subtle"
          color="gray"
          leftSection={<UserIcon />}
          className="user-button"
          aria-label={t("layout.userMenu", { name: user.username })}
        >
          <span className="user-name">{user.username}</span>
        </Button>
      )}
      position="bottom-end"
      width="max-content"
      withinPortal={false}
      heading={user.roleName}
      entries={[
        { key: "sessions", label: t("pages.sessions"), icon: <DevicesIcon />, to: ownSessions.path },
        { key: "password", label: t("pages.changePassword"), icon: <KeyIcon />, to: changePassword.path },
        {
          key: "signOut",
          label: t("layout.signOut"),
          icon: <SignOutIcon />,
          onClick: () => void signOut(),
        },
      ]}
    />
  );
}
