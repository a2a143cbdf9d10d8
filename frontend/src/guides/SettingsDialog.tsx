// How a guide is fetched and read: how often, in which zone its times are, by how much they are shifted.
import { Autocomplete, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { LeaveGuard } from "../forms/LeaveGuard";
import { useCloseWhenSaved } from "../forms/useCloseWhenSaved";
import { addressOf } from "../forms/useKeptDraft";
import { useOpened } from "../forms/useOpened";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../forms/WholeNumberInput";
import { askAndClose } from "../ui/askAndClose";
import { Dialog } from "../ui/Dialog";
import { type GuideFetch, useConfigure } from "./queries";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];

const ofHours = { min: 1, max: 168 };
/** In minutes: a day in either direction. */
const ofShift = { min: -1440, max: 1440 };
const ofPriority = { min: 1, max: 999 };

/** The fields as they are typed. */
interface Values {
  refreshHours: TypedNumber;
  shiftMinutes: TypedNumber;
  priority: TypedNumber;
  zone: string;
}

export default function SettingsDialog({ of, onClose }: { of: GuideFetch; onClose: () => void }) {
  const { t } = useTranslation();
  const { opened: fetch, takeLatest } = useOpened(of);
  const save = useConfigure(fetch, takeLatest);
  // What was changed here, over what is set: after a conflict, what somebody else changed stays.
  const [changed, setChanged] = useState<Partial<Values>>({});
  const put = (change: Partial<Values>) => setChanged({ ...changed, ...change });
  const { refreshHours, shiftMinutes, priority, zone }: Values = { ...fetch, ...changed };
  const whenSaved = useCloseWhenSaved(changed, onClose, takeLatest);
  const hours = wholeNumber(refreshHours, ofHours);
  const shift = wholeNumber(shiftMinutes, ofShift);
  const place = wholeNumber(priority, ofPriority);
  const isComplete = hours !== undefined && shift !== undefined && place !== undefined;
  const submit = () => {
    if (!isComplete) return;
    save.mutate(
      { refreshHours: hours, shiftMinutes: shift, priority: place, zone },
      { onSuccess: whenSaved() },
    );
  };
  const isChanged = Object.keys(changed).length > 0;
  const close = () => void askAndClose(isChanged, onClose);
  return (
    <Dialog title={t("guideHealth.settings.of", { title: fetch.title })} onClose={close} isForm>
      {/* Another filter may take the row of the guide away, and the dialog with it. */}
      {isChanged && <LeaveGuard placeOf={addressOf} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <WholeNumberInput
            label={t("guideHealth.settings.refreshHours")}
            value={refreshHours}
            onChange={(value) => put({ refreshHours: value })}
            {...ofHours}
          />
          <Autocomplete
            label={t("guideHealth.settings.zone")}
            description={t("guideHealth.settings.zoneHelp")}
            value={zone}
            onChange={(value) => put({ zone: value })}
            data={zones}
            limit={50}
            comboboxProps={{ zIndex: 400 }}
          />
          <WholeNumberInput
            label={t("guideHealth.settings.shiftMinutes")}
            description={t("guideHealth.settings.shiftHelp")}
            value={shiftMinutes}
            onChange={(value) => put({ shiftMinutes: value })}
            {...ofShift}
          />
          <WholeNumberInput
            label={t("guideHealth.settings.priority")}
            description={t("guideHealth.settings.priorityHelp")}
            value={priority}
            onChange={(value) => put({ priority: value })}
            {...ofPriority}
          />
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
              {t("guideHealth.settings.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
