// What an earlier visit left unsaved in this browser, to be restored or discarded.
import { Alert, Button, Group } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useTranslation } from "react-i18next";
import { textNear } from "../i18n";
import { formatMoment } from "../i18n/formats";
import { formatList, formatTime } from "../i18n/lazyFormats";
import { confirm } from "../ui/confirm";
import type { KeptDraft } from "./keptDraft";
import type { LocalDraft } from "./localDraft";

interface FoundDraftProps {
  found: LocalDraft;
  labels: string;
  /** The fields that were written since, and that it would replace. */
  replaced: () => string[];
  onRestore: () => void;
  onDiscard: () => void;
}

export function FoundDraft({ found, labels, replaced, onRestore, onDiscard }: FoundDraftProps) {
  const { t } = useTranslation();
  const restore = async () => {
    const fields = replaced();
    const question = {
      title: t("form.replaceTitle"),
      consequence: t("form.replaced", { fields: namesOf(fields, labels) }),
      verb: t("form.restore"),
    };
    if (fields.length === 0 || (await confirm(question))) onRestore();
  };
  const isToday = new Date(found.keptAt).toDateString() === new Date().toDateString();
  return (
    <Alert color="blue" mb="md" role="status">
      <Group justify="space-between" gap="sm">
        <span>
          {isToday
            ? t("form.unsavedToday", { time: formatTime(found.keptAt) })
            : t("form.unsaved", { moment: formatMoment(found.keptAt) })}{" "}
          <LeftOut of={found} labels={labels} />
        </span>
        <Group gap="xs">
          <Button size="xs" onClick={() => void restore()}>
            {t("form.restore")}
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            {t("form.discard")}
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}

/** Which fields have to be filled in again. */
export function LeftOut({ of: { leftOut }, labels }: { of: KeptDraft; labels: string }) {
  const { t } = useTranslation();
  if (!leftOut) return null;
  return t("form.leftOut", { fields: namesOf(leftOut, labels) });
}

function namesOf(fields: string[], labels: string): string {
  return formatList(fields.map((name) => textNear(labels, `fields.${name}`)));
}
