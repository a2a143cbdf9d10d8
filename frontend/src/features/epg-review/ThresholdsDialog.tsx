// From which scores on something is done, with what follows from each.
import { Button, Group, NumberInput, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { Dialog } from "../../ui/Dialog";
import { type Matching, useConfigure } from "./queries";

const bounds = { auto: [50, 100], review: [15, 100], lead: [0, 50] } as const;

interface Values extends Record<keyof typeof bounds, string | number> {
  automatic: boolean;
}

export default function ThresholdsDialog({ of: matching, onClose }: { of: Matching; onClose: () => void }) {
  const { t } = useTranslation();
  const save = useConfigure(matching.version);
  // What was changed here, over what is set: after a conflict, what somebody else changed stays.
  const [changed, setChanged] = useState<Partial<Values>>({});
  const { automatic, ...scores }: Values = { ...matching, ...changed };
  return (
    <Dialog title={t("epgReview.settings.title")} onClose={onClose} isForm>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { auto, review, lead } = scores;
          save.mutate(
            { auto: Number(auto), review: Number(review), lead: Number(lead), automatic },
            { onSuccess: onClose },
          );
        }}
      >
        <Stack gap="md">
          <Switch
            label={t("epgReview.settings.automatic")}
            description={t("epgReview.settings.automaticHelp")}
            checked={automatic}
            onChange={(event) => setChanged({ ...changed, automatic: event.currentTarget.checked })}
          />
          {(["auto", "review", "lead"] as const).map((key) => (
            <NumberInput
              key={key}
              label={t(`epgReview.settings.${key}`)}
              description={t(`epgReview.settings.${key}Help`)}
              value={scores[key]}
              onChange={(value) => setChanged({ ...changed, [key]: value })}
              min={bounds[key][0]}
              max={key === "review" ? Number(scores.auto) : bounds[key][1]}
              allowDecimal={false}
            />
          ))}
          {save.error && (
            <Text c="var(--danger)" role="alert">
              {messageOf(save.error)}
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t("epgReview.settings.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
