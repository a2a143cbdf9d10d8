// Applies entries: confirmation, then progress, result and undo.
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { Begun } from "./Begun";
import { type AppliedEntries, useApplied, useApply } from "./queries";

interface ApplyDialogProps {
  source: number;
  run: number;
  request: AppliedEntries;
  count: number;
  /** Whether users may have changed fields of what is applied: the list's values can replace theirs. */
  mayBeEdited: boolean;
  /** Whether something was applied. */
  onClose: (isDone: boolean) => void;
}

export default function ApplyDialog({ source, run, request, count, mayBeEdited, onClose }: ApplyDialogProps) {
  const { t } = useTranslation();
  const apply = useApply(source, run);
  const [operations, setOperations] = useState<number[]>([]);
  const [replaceEdited, setReplaceEdited] = useState(false);
  const isBegun = operations.length > 0;
  const applied = useApplied(source);
  return (
    <Dialog title={t("playlists.apply.title")} onClose={() => onClose(isBegun)} size="lg" isForm={isBegun}>
      {isBegun ? (
        <Begun source={source} of={operations} onUndo={setOperations} onClose={() => onClose(true)} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{t("playlists.apply.consequence", { count, number: formatNumber(count) })}</Text>
          <Text size="sm">{t("playlists.apply.ofStreams")}</Text>
          {mayBeEdited && (
            <Checkbox
              label={t("playlists.apply.replaceEdited")}
              description={t("playlists.apply.keepEdited")}
              checked={replaceEdited}
              onChange={({ currentTarget }) => setReplaceEdited(currentTarget.checked)}
            />
          )}
          <FailureAlert>{apply.error && messageOf(apply.error)}</FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onClose(false)}>
              {t("common.cancel")}
            </Button>
            <Button
              loading={apply.isPending}
              onClick={() =>
                apply.mutate(
                  { ...request, replaceEdited },
                  {
                    onSuccess: (begun) => {
                      setOperations(begun.operations.map(({ id }) => id));
                      applied();
                    },
                  },
                )
              }
            >
              {t("playlists.apply.verb")}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
