// The bar on top: name, menus, command palette, language, scheme, user. Under 992 px the menus move behind a burger.
import { Burger, Button, Kbd, Menu, UnstyledButton } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { useMay, useSession, useUser } from "../../access/session";
import { loadPageTexts } from "../../i18n";
import { LanguageSwitch } from "../../i18n/LanguageSwitch";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { useDefaultAddress } from "../../savedViews/useDefaultAddress";
import { DevicesIcon, DownIcon, KeyIcon, SearchIcon, SignOutIcon, UserIcon } from "../../ui/icons";
import { changePassword, type Menu as MenuOf, ownSessions } from "../navigation";
import { openCommandPalette } from "./commandPalette";
import { SchemeSwitch } from "./SchemeSwitch";
import { useMenus } from "./useMenus";

const RunningJobs = lazyPart(
  async () => (await Promise.all([import("./RunningJobs"), loadPageTexts("activity")]))[0],
);
const Stock = lazyPart(() => import("./Stock"));
const Bell = lazyPart(async () => (await Promise.all([import("./Bell"), loadPageTexts("notices")]))[0]);

export function TopBar({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const { t } = useTranslation();
  const menus = useMenus();
  const { roleCode } = useUser();
  const may = useMay();
  return (
    <header className="top-bar">
      <Burger
        className="narrow-only"
        size="sm"
        opened={isMenuOpen}
        onClick={onMenu}
        aria-expanded={isMenuOpen}
        aria-label={isMenuOpen ? t("layout.closeMenu") : t("layout.openMenu")}
      />
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
    <Menu
      position="bottom-start"
      width="max-content"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          data-here={isHere || undefined}
          rightSection={<DownIcon size={14} />}
          onPointerEnter={() => setIntended(true)}
          onFocus={() => setIntended(true)}
        >
          {t(`menus.${menu.key}`)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {menu.entries.map((entry) => (
          <Menu.Item
            key={entry.key}
            component={Link}
            {...addressOf(entry)}
            aria-current={pathname === entry.path ? "page" : undefined}
          >
            {t(`pages.${entry.key}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
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
      <Kbd size="xs" aria-hidden="true" className="palette-label">
        Ctrl K
      </Kbd>
    </UnstyledButton>
  );
}

function UserMenu() {
  const { t } = useTranslation();
  const { signOut } = useSession();
  const user = useUser();
  return (
    <Menu position="bottom-end" width="max-content" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<UserIcon />}
          className="user-button"
          aria-label={t("layout.userMenu", { name: user.username })}
        >
          <span className="user-name">{user.username}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.roleName}</Menu.Label>
        <Menu.Item component={Link} to={ownSessions.path} leftSection={<DevicesIcon />}>
          {t("pages.sessions")}
        </Menu.Item>
        <Menu.Item component={Link} to={changePassword.path} leftSection={<KeyIcon />}>
          {t("pages.changePassword")}
        </Menu.Item>
        <Menu.Item leftSection={<SignOutIcon />} onClick={() => void signOut()}>
          {t("layout.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
