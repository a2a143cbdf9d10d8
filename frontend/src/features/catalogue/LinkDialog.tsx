// Adds or edits one stream of an item, or adds several whose addresses were pasted at once. Judges as it is typed; what
// it saves goes into the item's draft.

import { Button, Group, Stack } from "@mantine/core";
import { type ClipboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../api/enums/Language.gen";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { newId } from "../../api/newId";
import { rules } from "../../api/rules.gen";
import { Draft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import { focusFirstInvalid, submitHandlers } from "../../forms/submitting";
import { DraftFields, useIsChanged, useValue } from "../../forms/useDraftForm";
import { useAskBeforeUnload } from "../../forms/useKeptDraft";
import { useDialogLeaveGuard } from "../../forms/useLeaveGuard";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import type { Link } from "./contents";
import { linesOf, type PastedLink, PastedLinks, pastedFrom, problemOf } from "./PastedLinks";

const { Text, Choice, Choices, Flag } = fieldsOf<Link>();

const usualQuality = "FHD";

interface LinkDialogProps {
  /** The link to edit; without one, a new one. */
  link?: Link;
  /** The addresses of the other links. */
  others: readonly string[];
  /** Says that another item has this address. */
  twinOf: (url: string) => ReactNode;
  onSave: (links: readonly Link[]) => void;
  onClose: () => void;
}

export function LinkDialog({ link, others, twinOf, onSave, onClose }: LinkDialogProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(() => new Draft<Link>(link ?? blankLink(), rules.Link, { isEager: true }));
  const [pasted, setPasted] = useState<readonly PastedLink[]>();

  const save = () => {
    // What is beside the addresses is judged with the first of them.
    if (pasted) draft.set("url", pasted[0]?.url ?? "");
    const areValid = !pasted || pasted.every((one) => problemOf(one, pasted, others) === undefined);
    if (!draft.check() || !areValid) return focusFirstInvalid(form.current);
    const saved = draft.toPayload();
    onSave(pasted ? pasted.map((one) => ({ ...saved, ...one })) : [saved]);
  };
  const isChanged = () => draft.isChanged() || pasted !== undefined;
  useDialogLeaveGuard(isChanged);
  useAskBeforeUnload(useIsChanged(draft) || pasted !== undefined, false);
  const close = () => void askAndClose(isChanged(), onClose);

  return (
    <Dialog title={link ? t("links.editTitle") : t("links.addTitle")} onClose={close} size="lg" isForm>
      <form ref={form} {...submitHandlers(save)} noValidate>
        <DraftFields draft={draft} labels="contents.link">
          <Stack gap="md">
            {pasted ? (
              <PastedLinks links={pasted} others={others} twinOf={twinOf} onChange={setPasted} />
            ) : (
              <>
                <AddressField
                  others={others}
                  twinOf={twinOf}
                  onPasteLines={link ? undefined : (lines) => setPasted(pastedFrom(lines, qualityOf(draft)))}
                />
                <Choice name="quality" of={LinkQuality} />
              </>
            )}
            <Choices name="audioLanguages" of={Language} />
            <Choices name="subtitleLanguages" of={Language} />
            <Flag name="active" />
          </Stack>
        </DraftFields>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button type="submit">
            {link
              ? t("links.saveEdit")
              : pasted
                ? t("links.saveSeveral", { count: pasted.length })
                : t("links.saveNew")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

function blankLink(): Link {
  return {
    id: newId(),
    quality: usualQuality,
    url: "",
    audioLanguages: [],
    subtitleLanguages: [],
    active: true,
  };
}

function qualityOf(draft: Draft<Link>): string {
  return String(draft.get("quality") ?? usualQuality);
}

interface AddressFieldProps extends Pick<LinkDialogProps, "others" | "twinOf"> {
  /** Receives several lines pasted at once: several links. Without it, they stay one text. */
  onPasteLines?: (lines: string[]) => void;
}

function AddressField({ others, twinOf, onPasteLines }: AddressFieldProps) {
  const { t } = useTranslation();
  const onPaste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData.getData("text"));
    if (!onPasteLines || lines.length < 2) return;
    event.preventDefault();
    onPasteLines(lines);
  };
  return (
    <div onPasteCapture={onPaste}>
      <Text name="url" type="url" placeholder="https://…" help={onPasteLines && t("links.urlHelp")} />
      <Repeated others={others} twinOf={twinOf} />
    </div>
  );
}

/** Says that another link, or another item, has this address already. No error: the server takes it. */
function Repeated({ others, twinOf }: Pick<LinkDialogProps, "others" | "twinOf">) {
  const { t } = useTranslation();
  const url = useValue<string | null>("url")?.trim() ?? "";
  const isRepeated = url !== "" && others.includes(url);
  if (!isRepeated && url !== "") return twinOf(url);
  return (
    <output className={isRepeated ? "form-warning" : "visually-hidden"}>
      {isRepeated && (
        <>
          <AlertIcon size={16} /> {t("links.repeated")}
        </>
      )}
    </output>
  );
}
