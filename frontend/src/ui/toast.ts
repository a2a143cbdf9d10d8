// Short news in the corner, read out to who cannot see it. A failure stays longer: it has a reason to be read.
import { t } from "../i18n";

let wake: () => void = () => {};

export function onFirstToast(listener: () => void): void {
  wake = listener;
}

async function show(color: string, message: string, title?: string, autoClose = 4000) {
  wake();
  const { notifications } = await import("@mantine/notifications");
  notifications.show({
    color,
    title,
    message,
    autoClose,
    closeButtonProps: { "aria-label": t("common.close") },
  });
}

export const toast = {
  success: (message: string, title?: string) => void show("teal", message, title),
  /** Done, with something to know about it. */
  warning: (message: string, title: string) => void show("yellow", message, title, 10_000),
  failure: (title: string, reason: string) => void show("red", reason, title, 10_000),
};
