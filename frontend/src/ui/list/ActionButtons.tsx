// The actions of a row, as buttons. Three at most are shown; with more, the rarer ones are in a menu. They are HTML with the
// classes of Mantine's buttons: a list has dozens of them, and each would be several components.
import { ActionIcon, UnstyledButton } from "@mantine/core";
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
const look = `${ActionIcon.classes.root} ${UnstyledButton.classes.root} mantine-active mantine-focus-auto`;

export function ActionButtons({ name, actions }: { name: string; actions: readonly Action[] }) {
  const { t } = useTranslation();
  const shown = actions.length > atMost ? actions.slice(0, atMost - 1) : actions;
  const rest = actions.slice(shown.length);
  return (
    <span className="row-actions">
      {shown.map(({ label, Icon, to, onClick, isBusy }) =>
        to ? (
          <Link key={label} className={look} to={to} aria-label={label} title={label} onClick={onClick}>
            <Icon />
          </Link>
        ) : (
          <button
            key={label}
            type="button"
            className={look}
            aria-label={label}
            title={label}
            aria-disabled={isBusy}
            data-disabled={isBusy || undefined}
            onClick={onClick}
          >
            <Icon />
          </button>
        ),
      )}
      {rest.length > 0 && (
        <MenuButton
          button={(props) => (
            <button
              type="button"
              className={look}
              {...props}
              aria-label={t("contents.more", { name })}
              title={t("list.actions")}
            >
              <MoreIcon />
            </button>
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
