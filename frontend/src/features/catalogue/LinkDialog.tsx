// Adds or edits one stream of an item. Judges as it is typed; what it saves goes into the item's draft.

import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../api/enums/Language.gen";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { rules } from "../../api/rules.gen";
import { Draft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import { DraftFields } from "../../forms/useDraftForm";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { newId } from "../../ui/newId";
import type { Link } from "./contents";

const { Text, Choice, Choices, Flag } = fieldsOf<Link>();

interface LinkDialogProps {
  /** The link to edit; without one, a new one. */
  link?: Link;
  onSave: (link: Link) => void;
  onClose: () => void;
}

export function LinkDialog({ link, onSave, onClose }: LinkDialogProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(
    () =>
      new Draft<Link>(
        link ?? {
          id: newId(),
          quality: "FHD",
          url: "",
          audioLanguages: [],
          subtitleLanguages: [],
          active: true,
        },
        rules.Link,
        { isEager: true },
      ),
  );

  const save = () => {
    if (draft.check()) return onSave(draft.finished());
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React hands events of a dialog on to the form that opened it, which must not be saved by this.
    event.stopPropagation();
    save();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    save();
  };

  const close = () => void askAndClose(draft.isChanged(), onClose);

  return (
    <Dialog title={link ? t("links.editTitle") : t("links.addTitle")} onClose={close} size="lg" isForm>
      <form ref={form} onSubmit={submit} onKeyDown={onKeyDown} noValidate>
        <DraftFields draft={draft} labels="contents.link">
          <Stack gap="md">
            <Text name="url" type="url" placeholder="https://…" />
            <Choice name="quality" of={LinkQuality} />
            <Choices name="audioLanguages" of={Language} />
            <Choices name="subtitleLanguages" of={Language} />
            <Flag name="active" />
          </Stack>
        </DraftFields>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button type="submit">{link ? t("links.saveEdit") : t("links.saveNew")}</Button>
        </Group>
      </form>
    </Dialog>
  );
}
