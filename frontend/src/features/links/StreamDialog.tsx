// Adds or edits a stream of a channel. What it saves goes into the draft of the page.
import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { UrlType } from "../../api/enums/UrlType.gen";
import { Draft, type PartialDraft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import { focusFirstInvalid, submitHandlers } from "../../forms/submitting";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { DraftFields, useField, useIsChanged, useValue } from "../../forms/useDraftForm";
import { useAskBeforeUnload } from "../../forms/useKeptDraft";
import { useDialogLeaveGuard } from "../../forms/useLeaveGuard";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import { addressOf, draftOf, type Header, headersOf, linesOf, type Stream, streamRule } from "./streams";

const { Text, Choice } = fieldsOf<Stream>();

interface StreamDialogProps {
  /** The stream to edit; without one, a new one. */
  stream: Stream | undefined;
  /** The addresses of the other streams. */
  others: readonly string[];
  onSave: (stream: Stream) => void;
  onClose: () => void;
}

export function StreamDialog({ stream, others, onSave, onClose }: StreamDialogProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(() => {
    const initial = stream ?? { urlType: "EXTERNAL", url: "", headers: [] };
    return new Draft<Stream>(initial as PartialDraft<Stream>, streamRule, { isEager: true });
  });
  const { pathname } = useLocation();
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `${pathname}#stream ${stream ? addressOf(stream) : "new"}`,
    labels: "streams",
  });
  const save = () => {
    if (!draft.check() || others.includes(addressOf(draft.toPayload())))
      return focusFirstInvalid(form.current);
    abandon();
    onSave(draftOf(draft.toPayload()));
  };
  useDialogLeaveGuard(() => draft.isChanged(), abandon);
  // Headers are in no storage of the browser.
  const isKept = useSyncExternalStore(draft.subscribe, () => draft.leftOut().length === 0);
  useAskBeforeUnload(useIsChanged(draft), isKept);
  const close = () =>
    void askAndClose(draft.isChanged(), () => {
      abandon();
      onClose();
    });
  return (
    <Dialog title={stream ? t("streams.editTitle") : t("streams.addTitle")} onClose={close} size="lg" isForm>
      <form ref={form} {...submitHandlers(save)} noValidate>
        {proposal}
        <DraftFields draft={draft} labels="streams">
          <Stack gap="md">
            <Choice name="urlType" of={UrlType} />
            <Address others={others} />
            <Text name="label" autoComplete="off" />
            <Choice name="quality" of={LinkQuality} />
            <Headers />
          </Stack>
        </DraftFields>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button type="submit">{stream ? t("streams.saveEdit") : t("streams.saveNew")}</Button>
        </Group>
      </form>
    </Dialog>
  );
}

function Address({ others }: { others: readonly string[] }) {
  const { t } = useTranslation();
  const urlType = useValue<Stream["urlType"]>("urlType");
  const url = useValue<string | null>("url")?.trim() ?? "";
  const isInternal = urlType === "INTERNAL";
  const isUsed = url !== "" && others.includes(addressOf({ urlType, url }));
  return (
    <div>
      <Text
        name="url"
        type={isInternal ? "digits" : "url"}
        placeholder={isInternal ? "103451" : "https://…"}
      />
      <output className={isUsed ? "form-warning" : "visually-hidden"}>
        {isUsed && (
          <>
            <AlertIcon size={16} /> {t("streams.addressUsed")}
          </>
        )}
      </output>
    </div>
  );
}

/** Headers as lines of text: what is typed stays as it is typed. */
function Headers() {
  const { t } = useTranslation();
  const { value, change, input } = useField<Header[]>("headers");
  const [text, setText] = useState(() => linesOf(value ?? []));
  return (
    <Textarea
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      placeholder={t("streams.headersExample")}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        change(headersOf(event.currentTarget.value));
      }}
    />
  );
}
