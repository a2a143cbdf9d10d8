// The shift of a channel against its channel of the guide: that of its playlist, or one that a user gives it.
import { Button, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { parseInteger } from "../../forms/typed";
import { useFormAround } from "../../forms/useDraftForm";
import { useAskBeforeUnload } from "../../forms/useKeptDraft";
import { wholeNumber } from "../../forms/WholeNumberInput";
import { formatNumber } from "../../i18n/formats";
import { FailureAlert } from "../../ui/FailureAlert";
import { type CurrentLink, useShift } from "./queries";

const bounds = { min: -1440, max: 1440 };

interface ShiftFormProps {
  channel: number;
  /** Version of the channel's match. */
  version: number;
  of: CurrentLink;
  /** Whether something is typed that was not saved: the dialog asks before it closes. */
  isTyped: RefObject<boolean>;
  onSaved: () => void;
}

export function ShiftForm({ channel, version, of: link, isTyped, onSaved }: ShiftFormProps) {
  const { t } = useTranslation();
  const save = useShift();
  const [text, setText] = useState(String(link.shiftMinutes ?? ""));
  const [stored, setStored] = useState(link.shiftMinutes);
  if (stored !== link.shiftMinutes) {
    // What was typed stays; what was not is replaced by what is stored now.
    if (text === String(stored ?? "")) setText(String(link.shiftMinutes ?? ""));
    setStored(link.shiftMinutes);
  }
  const isChanged = text.trim() !== String(link.shiftMinutes ?? "");
  useLayoutEffect(() => {
    isTyped.current = isChanged;
    return () => {
      isTyped.current = false;
    };
  }, [isTyped, isChanged]);
  const form = useFormAround();
  // The router has one guard at a time: in the form of a channel, the form's.
  useEffect(
    () => form?.draft.addDialog({ isChanged: () => isTyped.current, abandon: () => undefined }),
    [form, isTyped],
  );
  useAskBeforeUnload(isChanged, false);
  const number = parseInteger(text);
  const minutes =
    text.trim() === "" ? null : typeof number === "number" ? wholeNumber(number, bounds) : undefined;
  // After a conflict, what was typed stays: what is stored is said beside it.
  const isReadAgain = save.variables !== undefined && save.variables.version !== version;
  const shiftOf = ({ shiftMinutes }: CurrentLink) =>
    shiftMinutes == null ? t("epgReview.shift.none") : formatNumber(shiftMinutes);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog may be in the form of the channel.
    event.stopPropagation();
    if (minutes !== undefined && !save.isPending)
      save.mutate(
        { channel, version, link: { ...link, shiftMinutes: minutes } },
        {
          onSuccess: () => {
            // It is stored, also where the link was not read again yet.
            isTyped.current = false;
            onSaved();
          },
        },
      );
  };
  return (
    <form onSubmit={submit} noValidate>
      {isChanged && !form && <LeaveGuard />}
      <Stack align="flex-start" gap="xs" my="md">
        <TextInput
          label={t("epgReview.shift.label")}
          value={text}
          autoComplete="off"
          placeholder={t("epgReview.shift.none")}
          description={t("epgReview.shift.about")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          error={
            minutes === undefined &&
            t("common.wholeNumber", { min: formatNumber(bounds.min), max: formatNumber(bounds.max) })
          }
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={minutes === undefined || minutes === link.shiftMinutes}
        >
          {t("epgReview.shift.save")}
        </Button>
      </Stack>
      <FailureAlert title={t("epgReview.shift.failed")}>
        {save.error &&
          [
            messageOf(save.error),
            ...(isReadAgain ? [t("epgReview.shift.stored", { shift: shiftOf(link) })] : []),
          ].join(" ")}
      </FailureAlert>
    </form>
  );
}
