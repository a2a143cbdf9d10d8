// The base URL of channels or radio stations, above their list: read in place, edited on request.
import { ActionIcon, Alert, Button, Skeleton, TextInput } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { contentEntries } from "../../access/kinds";
import { useMay } from "../../access/session";
import { messageOf, Problem } from "../../api/problem";
import { askAndClose } from "../../ui/askAndClose";
import { AlertIcon, CheckIcon, EditIcon } from "../../ui/icons";
import { type BasedKind, baseUrlQuery, useSaveBaseUrl } from "./baseUrls";
import "./base-url.css";

const savedMessageStays = 3000;

export function BaseUrlPanel({ kind }: { kind: BasedKind }) {
  const { t } = useTranslation();
  const headingId = useId();
  const stored = useQuery(baseUrlQuery(kind));
  const [isEditing, setEditing] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const value = stored.data?.baseUrl ?? "";

  useEffect(() => {
    if (!isSaved) return;
    const timer = setTimeout(() => setSaved(false), savedMessageStays);
    return () => clearTimeout(timer);
  }, [isSaved]);

  return (
    <section className="base-url" aria-labelledby={headingId}>
      <h2 id={headingId}>{t(`baseUrl.${kind}.title`)}</h2>
      {stored.isError && !stored.data ? (
        <Alert color="red" icon={<AlertIcon />} title={t(`baseUrl.${kind}.loadFailed`)}>
          {messageOf(stored.error)}{" "}
          <Button size="compact-xs" variant="default" onClick={() => void stored.refetch()}>
            {t("common.retry")}
          </Button>
        </Alert>
      ) : stored.isPending ? (
        <Skeleton h={24} w="min(24rem, 100%)" my={5} />
      ) : isEditing ? (
        <BaseUrlForm
          kind={kind}
          initial={value}
          onSaved={() => {
            setEditing(false);
            setSaved(true);
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <BaseUrlValue
          kind={kind}
          value={value}
          onEdit={() => {
            setSaved(false);
            setEditing(true);
          }}
        />
      )}
      <output className="base-url-notice">
        {isSaved ? (
          <>
            <CheckIcon size={16} /> {t("baseUrl.saved")}
          </>
        ) : (
          !isEditing && <span className="quiet">{t(`baseUrl.${kind}.help`)}</span>
        )}
      </output>
    </section>
  );
}

interface BaseUrlValueProps {
  kind: BasedKind;
  value: string;
  onEdit: () => void;
}

function BaseUrlValue({ kind, value, onEdit }: BaseUrlValueProps) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <div className="base-url-value">
      {value ? <code>{value}</code> : <span className="quiet">{t("baseUrl.notSet")}</span>}
      {may(`${contentEntries[kind].entity}_UPDATE`) && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("baseUrl.edit")}
          title={t("baseUrl.edit")}
          onClick={onEdit}
        >
          <EditIcon />
        </ActionIcon>
      )}
    </div>
  );
}

interface BaseUrlFormProps {
  kind: BasedKind;
  initial: string;
  onSaved: () => void;
  onCancel: () => void;
}

function BaseUrlForm({ kind, initial, onSaved, onCancel }: BaseUrlFormProps) {
  const { t } = useTranslation();
  const saving = useSaveBaseUrl(kind);
  const [draft, setDraft] = useState(initial);
  const typed = useRef(draft);
  typed.current = draft;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (saving.isPending) return;
    const sent = draft.trim();
    // What was typed meanwhile stays.
    saving.mutate(sent, { onSuccess: () => typed.current.trim() === sent && onSaved() });
  };
  return (
    <form className="base-url-form" onSubmit={save} noValidate>
      <TextInput
        aria-label={t(`baseUrl.${kind}.title`)}
        inputMode="url"
        spellCheck={false}
        placeholder="https://…"
        value={draft}
        autoFocus
        error={saving.isError ? reasonOf(saving.error) || t("baseUrl.failed") : undefined}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && void askAndClose(draft.trim() !== initial, onCancel)}
      />
      <Button type="submit" loading={saving.isPending}>
        {t("baseUrl.save")}
      </Button>
      <Button variant="default" onClick={onCancel}>
        {t("common.cancel")}
      </Button>
    </form>
  );
}

/** The error of the address itself; other errors are of the request. */
function reasonOf(error: unknown): string {
  return (error instanceof Problem && error.violations[0]?.message) || messageOf(error);
}
