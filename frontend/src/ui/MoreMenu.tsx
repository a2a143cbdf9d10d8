// The button «Acciones» of a page, with what else can be done with its item.
import { Button, Menu } from "@mantine/core";
import "@mantine/core/styles/Menu.layer.css";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MoreIcon } from "./icons";

/** `children` are `Menu.Item`s. */
export function MoreMenu({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Menu
      position="bottom-end"
      shadow="md"
      portalProps={{ target: "#content" }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button variant="default" px="xs" aria-label={t("contents.more", { name })} title={t("list.actions")}>
          <MoreIcon />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
