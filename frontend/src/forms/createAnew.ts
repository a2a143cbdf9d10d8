// Creates an item again from the form if another user deleted it during the edit.
import { t } from "../i18n";
import { confirm } from "../ui/confirm";

export function askToCreateAnew(name: string): Promise<boolean> {
  return confirm({
    title: t("contents.gone.title"),
    consequence: t("contents.gone.consequence", { name }),
    verb: t("contents.gone.verb"),
    cancel: t("form.leaveCancel"),
    isSafe: true,
  });
}
