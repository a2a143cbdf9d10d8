// The list of a menu, beside the button that opens it.
import { Menu, type MenuProps } from "@mantine/core";
import "@mantine/core/styles/Menu.layer.css";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ButtonOf, useOpenOnceMounted } from "./ButtonOf";
import type { DropdownProps } from "./useDropdown";

export interface MenuEntry {
  key: string;
  label: ReactNode;
  /** What it is called where its label does not say enough. */
  name?: string;
  icon?: ReactNode;
  /** The address it leads to. */
  to?: string;
  state?: unknown;
  isCurrent?: boolean;
  /** It does something in the menu. */
  keepsOpen?: boolean;
  onClick?: () => void;
}

export interface MenuListProps
  extends DropdownProps,
    Pick<MenuProps, "position" | "width" | "shadow" | "withinPortal" | "portalProps" | "returnFocus"> {
  /** It is on the screen. */
  onShown?: () => void;
  className?: string;
  heading?: ReactNode;
  /** Said above the entries, or where there are none. */
  note?: ReactNode;
  entries: readonly MenuEntry[];
}

export default function MenuList(props: MenuListProps) {
  const { button, isOpen, onClose, onShown, className, heading, note, entries, ...menu } = props;
  const opened = useOpenOnceMounted(props, onShown);
  return (
    <Menu {...menu} opened={opened} onClose={onClose} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ButtonOf button={button} />
      </Menu.Target>
      <Menu.Dropdown className={className}>
        {heading && <Menu.Label>{heading}</Menu.Label>}
        {note}
        {entries.map(({ key, ...entry }) => (
          <Entry key={key} {...entry} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, name, icon, to, state, isCurrent, keepsOpen, onClick }: Omit<MenuEntry, "key">) {
  const common = { "aria-label": name, leftSection: icon, closeMenuOnClick: !keepsOpen, onClick };
  return to ? (
    <Menu.Item
      component={Link}
      to={to}
      state={state}
      aria-current={isCurrent ? "page" : undefined}
      {...common}
    >
      {label}
    </Menu.Item>
  ) : (
    <Menu.Item {...common}>{label}</Menu.Item>
  );
}
