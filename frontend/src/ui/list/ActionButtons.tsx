// The actions of a row, as buttons. Three at most are shown; with more, the rarer ones are in a menu.
import { ActionIcon } from "@mantine/core";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { MenuButton } from "../dropdown/MenuButton";
import { MoreIcon } from "../icons";

export interface Action {
  label: string;
  /** Label in a menu, where the row is named already. */
  verb: string;
  Icon: ComponentType<{ size?: number }>;
  to?: string;
  onClick?: () => void;
  /** Shown as disabled, with the focus kept; who handles the click ignores it. */
  isBusy?: boolean;
}

const atMost = 3;
const look = { variant: "subtle", color: "gray", size: "lg" } as const;

export function ActionButtons({ name, actions }: { name: string; actions: readonly Action[] }) {
  const { t } = useTranslation();
  const shown = actions.length > atMost ? actions.slice(0, atMost - 1) : actions;
  const rest = actions.slice(shown.length);
  return (
    <span className="row-actions">
      {shown.map(({ label, Icon, to, onClick, isBusy }) =>
        to ? (
          <ActionIcon
            key={label}
            {...look}
            component={Link}
            to={to}
            aria-label={label}
            title={label}
            onClick={onClick}
          >
            <Icon />
          </ActionIcon>
        ) : (
          <ActionIcon
            key={label}
            {...look}
            aria-label={label}
            title={label}
            aria-disabled={isBusy}
            data-disabled={isBusy}
            onClick={onClick}
          >
            <Icon />
          </ActionIcon>
        ),
      )}
      {rest.length > 0 && (
        <MenuButton
          button={(props) => (
            <ActionIcon
              {...look}
              {...props}
              aria-label={t("contents.more", { name })}
              title={t("list.actions")}
            >
              <MoreIcon />
            </ActionIcon>
          )}
          position="bottom-end"
          shadow="md"
          // Not beside the page but inside it, where screen readers look; and not inside the table, which would clip it.
          portalProps={{ target: "#content" }}
          entries={rest.map(({ label, verb, Icon, to, onClick }) => ({
            key: label,
            label: verb,
            name: label,
            icon: <Icon size={16} />,
            to,
            onClick,
          }))}
        />
      )}
    </span>
  );
}
