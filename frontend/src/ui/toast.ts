// Short messages under the top bar, read out to who cannot see it. A failure stays longer: it has a reason to be read.
import { createElement, type ReactNode } from "react";
import { Link } from "react-router";
import { t } from "../i18n";

/** The link or the undo of a toast. */
export type ToastAction = { label: string } & ({ to: string } | { onClick: () => void });

let wake: () => void = () => {};

export function onFirstToast(listener: () => void): void {
  wake = listener;
}

async function show(color: string, message: string, title?: string, autoClose = 4000, action?: ToastAction) {
  wake();
  // Prefetched by `Toasts`: a toast also has to report that the server is unreachable.
  const { notifications } = await import("./Notifications");
  const id: string = notifications.show({
    color,
    title,
    message: action ? withAction(message, action, () => notifications.hide(id)) : message,
    // A toast with an action stays longer, so that there is time to press it.
    autoClose: action ? Math.max(autoClose, 8000) : autoClose,
    closeButtonProps: { "aria-label": t("common.close") },
  });
}

function withAction(message: string, action: ToastAction, close: () => void): ReactNode {
  const button =
    "to" in action
      ? createElement(Link, { to: action.to, className: "toast-action", onClick: close }, action.label)
      : createElement(
          "button",
          {
            type: "button",
            className: "toast-action",
            onClick: () => {
              close();
              action.onClick();
            },
          },
          action.label,
        );
  return createElement("span", null, createElement("span", null, message), " ", button);
}

export const toast = {
  success: (message: string, title?: string, action?: ToastAction) =>
    void show("teal", message, title, 4000, action),
  /** Success with a warning. */
  warning: (message: string, title: string) => void show("yellow", message, title, 10_000),
  failure: (title: string, reason: string) => void show("red", reason, title, 10_000),
};
