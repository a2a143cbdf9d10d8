// What an earlier visit left unsaved in this browser, to be restored or discarded.
import { Alert, Button, Group } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useTranslation } from "react-i18next";
import { textNear } from "../i18n";
import { formatList, formatMoment, formatTime } from "../i18n/formats";
import type { KeptDraft } from "./keptDraft";
import type { LocalDraft } from "./localDraft";

interface FoundDraftProps {
  found: LocalDraft;
  labels: string;
  onRestore: () => void;
  onDiscard: () => void;
}

export function FoundDraft({ found, labels, onRestore, onDiscard }: FoundDraftProps) {
  const { t } = useTranslation();
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
          <Button size="xs" onClick={onRestore}>
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
  return t("form.leftOut", { fields: formatList(leftOut.map((name) => textNear(labels, `fields.${name}`))) });
}
