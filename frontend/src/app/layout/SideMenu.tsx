// The menus on a small screen, in a drawer.
import { Drawer, NavLink, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { LanguageSwitch } from "../../i18n/LanguageSwitch";
import "../../ui/modal.css";
import { useDefaultAddress } from "../../ui/savedViews/useDefaultAddress";
import "./side-menu.css";
import { useMenus } from "./useMenus";

export default function SideMenu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const menus = useMenus();
  const addressOf = useDefaultAddress(isOpen);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} size="18rem">
      <Drawer.Overlay />
      <Drawer.Content>
        <div className="dialog-head">
          <Drawer.Title>{t("product.name")}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("layout.closeMenu")} />
        </div>
        <Drawer.Body>
          <nav aria-label={t("layout.menus")}>
            {menus.map((menu) => (
              <section key={menu.key} className="side-group">
                <Text component="h2" size="xs" fw={650} c="dimmed" px="sm" mb={4}>
                  {t(`menus.${menu.key}`)}
                </Text>
                {menu.entries.map((entry) => (
                  <NavLink
                    key={entry.key}
                    component={Link}
                    {...addressOf(entry)}
                    label={t(`pages.${entry.key}`)}
                    active={pathname === entry.path || pathname.startsWith(`${entry.path}/`)}
                    aria-current={pathname === entry.path ? "page" : undefined}
                    onClick={onClose}
                  />
                ))}
              </section>
            ))}
          </nav>
          <div className="side-language">
            <LanguageSwitch />
          </div>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
