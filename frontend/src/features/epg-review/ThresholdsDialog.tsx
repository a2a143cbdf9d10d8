// From which scores on something is done, with what follows from each.
import { Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useCloseWhenSaved } from "../../forms/useCloseWhenSaved";
import { useOpened } from "../../forms/useOpened";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../../forms/WholeNumberInput";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { type Matching, useConfigure } from "./queries";

const bounds = {
  auto: { min: 50, max: 100 },
  review: { min: 15, max: 100 },
  lead: { min: 0, max: 50 },
};

interface Values extends Record<keyof typeof bounds, TypedNumber> {
  automatic: boolean;
}

export default function ThresholdsDialog({ of, onClose }: { of: Matching; onClose: () => void }) {
  const { t } = useTranslation();
  const { opened: matching, takeLatest } = useOpened(of);
  const save = useConfigure(matching.version, takeLatest);
  // What was changed here, over what is set: after a conflict, what somebody else changed stays.
  const [changed, setChanged] = useState<Partial<Values>>({});
  const { automatic, ...scores }: Values = { ...matching, ...changed };
  const auto = wholeNumber(scores.auto, bounds.auto);
  const ofReview = { ...bounds.review, max: auto ?? bounds.review.max };
  const review = wholeNumber(scores.review, ofReview);
  const lead = wholeNumber(scores.lead, bounds.lead);
  const isComplete = auto !== undefined && review !== undefined && lead !== undefined;
  const isChanged = Object.keys(changed).length > 0;
  const whenSaved = useCloseWhenSaved(changed, onClose, takeLatest);
  const close = () => void askAndClose(isChanged, onClose);
  return (
    <Dialog title={t("epgReview.settings.title")} onClose={close} isForm>
      {isChanged && <LeaveGuard />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) save.mutate({ auto, review, lead, automatic }, { onSuccess: whenSaved() });
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
            <WholeNumberInput
              key={key}
              label={t(`epgReview.settings.${key}`)}
              description={t(`epgReview.settings.${key}Help`)}
              value={scores[key]}
              onChange={(value) => setChanged({ ...changed, [key]: value })}
              {...(key === "review" ? ofReview : bounds[key])}
            />
          ))}
          {save.error && (
            <Text c="var(--danger)" role="alert">
              {messageOf(save.error)}
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!isComplete}>
              {t("epgReview.settings.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
