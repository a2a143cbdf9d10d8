// Asks before something that cannot be taken back: what will happen to what, the verb on the button,
// the focus on the safe choice.
import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { t } from "../i18n";

interface Question {
  title: string;
  /** What exactly will happen. */
  consequence: string;
  verb: string;
  cancel?: string;
  isDangerous?: boolean;
}

/** Answers whether the person went ahead. Escape, the cross and the backdrop mean no. */
export function confirm({ title, consequence, verb, cancel, isDangerous = true }: Question): Promise<boolean> {
  return new Promise((answer) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{consequence}</Text>,
      labels: { confirm: verb, cancel: cancel ?? t("common.cancel") },
      confirmProps: isDangerous ? { color: "red" } : {},
      cancelProps: { "data-autofocus": true },
      closeButtonProps: { "aria-label": t("common.close") },
      onConfirm: () => answer(true),
      onCancel: () => answer(false),
      // Closing by any other way than the red button is a no; a second answer is ignored by the promise.
      onClose: () => answer(false),
    });
  });
}
