// The streams of an item: a table inside its form. Everything here changes the draft only; it is saved with the item.
import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FieldProps } from "../../forms/fieldProps";
import { useField, useForm } from "../../forms/useDraftForm";
import { confirm } from "../../ui/confirm";
import { AddIcon, AlertIcon, DeleteIcon, EditIcon, icon } from "../../ui/icons";
import type { Link } from "./contents";
import { LinkDialog } from "./LinkDialog";
import { LinksTable } from "./LinksTable";
import "./links.css";

const PowerIcon = icon(<path d="M12 3v9M6.500 7a8 8 0 1 0 11 0" />);

interface LinksEditorProps extends FieldProps {
  /** Names another item that has a link with this address; `ownId` is the item of the form. */
  twinOf?: (url: string, ownId: number | undefined) => ReactNode;
}

export function LinksEditor({ name, twinOf }: LinksEditorProps) {
  const { t } = useTranslation();
  const { value, change, input, violation } = useField<Link[]>(name);
  const [edited, setEdited] = useState<Link | "new">();
  const add = useRef<HTMLButtonElement>(null);
  const links = value ?? [];
  const ownId = useForm().draft.get("id") as number | undefined;
  // A changed link has no date of change until the server gives it one.
  const put = (id: Link["id"], next: Partial<Link>) =>
    change(links.map((link) => (link.id === id ? { ...link, ...next, updatedDate: null } : link)));

  const remove = async (link: Link) => {
    const goesAhead = await confirm({
      title: t("links.deleteTitle"),
      consequence: t("links.willDelete", { url: link.url }),
      verb: t("common.delete"),
    });
    if (goesAhead) change(links.filter((other) => other.id !== link.id));
  };

  const save = (saved: readonly Link[]) => {
    const [link] = saved;
    if (link && links.some((other) => other.id === link.id)) put(link.id, link);
    else change([...links, ...saved]);
    // The dialog closes at once; the focus on its button makes adding the next link one key press.
    if (edited === "new") setTimeout(() => add.current?.focus());
    setEdited(undefined);
  };

  // Converts `links[1].url` into a text for users.
  const culprit = /\[(\d+)\]/.exec(violation?.field ?? "")?.[1];
  return (
    <div className="links">
      {links.length === 0 ? (
        <p className="quiet links-none">{t("links.none")}</p>
      ) : (
        <LinksTable
          links={links}
          actions={(link) => (
            <LinkActions
              link={link}
              onEdit={() => setEdited(link)}
              onToggle={() => put(link.id, { active: !link.active })}
              onDelete={() => void remove(link)}
            />
          )}
        />
      )}
      {links.length > 0 && links.every((link) => !link.active) && (
        <output className="form-warning">
          <AlertIcon size={16} /> {t("links.allInactive", { count: links.length })}
        </output>
      )}
      {input.error && (
        <Text c="var(--danger)" size="sm" role="alert" tabIndex={-1} data-field-error>
          {culprit ? t("links.error", { number: Number(culprit) + 1, error: input.error }) : input.error}
        </Text>
      )}
      <Group mt="sm">
        <Button ref={add} variant="default" leftSection={<AddIcon />} onClick={() => setEdited("new")}>
          {t("links.add")}
        </Button>
      </Group>
      {edited && (
        <LinkDialog
          link={edited === "new" ? undefined : edited}
          twinOf={(url) => twinOf?.(url, ownId)}
          others={links.filter((link) => link !== edited).map((link) => link.url)}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

interface LinkActionsProps {
  link: Link;
  onEdit: () => void;
  onToggle: () => void;
  onDelete: () => void;
}

function LinkActions({ link, onEdit, onToggle, onDelete }: LinkActionsProps) {
  const { t } = useTranslation();
  const { url } = link;
  const look = { variant: "subtle", color: "gray", size: "lg" } as const;
  const toggle = link.active ? t("links.deactivate", { url }) : t("links.activate", { url });
  return (
    <span className="row-actions">
      <ActionIcon {...look} aria-label={t("links.edit", { url })} title={t("common.edit")} onClick={onEdit}>
        <EditIcon />
      </ActionIcon>
      <ActionIcon
        {...look}
        aria-label={toggle}
        title={link.active ? t("common.deactivate") : t("common.activate")}
        onClick={onToggle}
      >
        <PowerIcon />
      </ActionIcon>
      <ActionIcon
        {...look}
        aria-label={t("links.delete", { url })}
        title={t("common.delete")}
        onClick={onDelete}
      >
        <DeleteIcon />
      </ActionIcon>
    </span>
  );
}
