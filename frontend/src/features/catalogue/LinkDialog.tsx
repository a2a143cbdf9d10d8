// Adds or edits one stream of an item, or adds several whose addresses were pasted at once. Validates while
// typing; saving changes the draft of the item.

import { Button, Group, Stack } from "@mantine/core";
import { type ClipboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { Language } from "../../api/enums/Language.gen";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { newId } from "../../api/newId";
import { rules } from "../../api/rules.gen";
import { Draft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import { focusFirstInvalid, submitHandlers } from "../../forms/submitting";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { DraftFields, useDraftValue, useIsChanged, useValue } from "../../forms/useDraftForm";
import { addressOf, useAskBeforeUnload } from "../../forms/useKeptDraft";
import { useDialogLeaveGuard } from "../../forms/useLeaveGuard";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import type { Link } from "./contents";
import { linesOf, type PastedLink, PastedLinks, pastedFrom, problemOf } from "./PastedLinks";

const { Text, Choice, Choices, Flag } = fieldsOf<Link>();

const usualQuality = "FHD";

/** Several addresses that were pasted are part of the draft until each is a link. */
type LinkDraft = Link & { pasted?: readonly PastedLink[] };

const rule = {
  ...rules.Link,
  properties: { ...rules.Link.properties, pasted: { type: "array" } },
} as const;

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
  const [draft] = useState(() => new Draft<LinkDraft>(link ?? blankLink(), rule, { isEager: true }));
  const pasted = useDraftValue<readonly PastedLink[] | null | undefined>(draft, "pasted");
  const setPasted = (links: readonly PastedLink[]) => draft.set("pasted", links);
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `${addressOf(useLocation())}#link ${link?.id ?? "new"}`,
    labels: "contents.link",
  });

  const save = () => {
    // The other fields are validated with the first address.
    if (pasted) draft.set("url", pasted[0]?.url ?? "");
    const areValid = !pasted || pasted.every((one) => problemOf(one, pasted, others) === undefined);
    if (!draft.check() || !areValid) return focusFirstInvalid(form.current);
    const { pasted: _pasted, ...saved } = draft.toPayload();
    abandon();
    onSave(pasted ? pasted.map((one) => ({ ...saved, ...one })) : [saved]);
  };
  useDialogLeaveGuard(() => draft.isChanged(), abandon);
  useAskBeforeUnload(useIsChanged(draft), true);
  const close = () =>
    void askAndClose(draft.isChanged(), () => {
      abandon();
      onClose();
    });

  return (
    <Dialog title={link ? t("links.editTitle") : t("links.addTitle")} onClose={close} size="lg" isForm>
      <form ref={form} {...submitHandlers(save)} noValidate>
        {proposal}
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

function qualityOf(draft: Draft<LinkDraft>): string {
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

/** Warns that another link or item has this address already. It is no error: the server accepts it. */
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
