// Short news in the corner, read out to who cannot see it. A failure stays longer: it has a reason to be read.
import { notifications } from "@mantine/notifications";
import { t } from "../i18n";

function show(color: string, message: string, title?: string, autoClose = 4000) {
  notifications.show({ color, title, message, autoClose, closeButtonProps: { "aria-label": t("common.close") } });
}

export const toast = {
  success: (message: string) => show("teal", message),
  failure: (title: string, reason: string) => show("red", reason, title, 10_000),
};
