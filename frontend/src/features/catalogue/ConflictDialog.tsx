// Somebody else saved the same item first: shows what they changed and lets the person choose. Closing it
// changes nothing; the edit is never lost.
import { Button, Group, List, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { textNear } from "../../i18n";
import { Dialog } from "../../ui/Dialog";

interface ConflictDialogProps {
  labels: string;
  mine: object;
  before: object;
  theirs: object;
  onTheirs: () => void;
  onMine: () => Promise<void>;
  onClose: () => void;
}

export function ConflictDialog({
  labels,
  mine,
  before,
  theirs,
  onTheirs,
  onMine,
  onClose,
}: ConflictDialogProps) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const changed = Object.keys(mine).filter((field) => differs(before, theirs, field));
  const save = async () => {
    setBusy(true);
    await onMine();
    setBusy(false);
  };
  return (
    <Dialog title={t("conflict.title")} onClose={onClose} size="lg">
      <Text size="sm">{t("conflict.explanation")}</Text>
      {changed.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            {t("conflict.changed")}
          </Text>
          <List size="sm">
            {changed.map((field) => (
              <List.Item key={field}>{textNear(labels, `fields.${field}`)}</List.Item>
            ))}
          </List>
        </>
      )}
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t("conflict.keepEditing")}
        </Button>
        <Button variant="default" onClick={onTheirs}>
          {t("conflict.theirs")}
        </Button>
        <Button color="red" loading={isBusy} onClick={() => void save()}>
          {t("conflict.mine")}
        </Button>
      </Group>
    </Dialog>
  );
}

function differs(one: object, other: object, field: string): boolean {
  const at = (item: object) => JSON.stringify((item as Record<string, unknown>)[field] ?? null, inOrder);
  return at(one) !== at(other);
}

/** The same fields in another order, or dates that nobody wrote, are no change. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { createdDate: _created, updatedDate: _updated, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
