// The fields of a profile, in the dialogs that create and edit.
import { Button, Group, SegmentedControl, Select } from "@mantine/core";
import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import { type ReactNode, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { ChannelNumbering } from "../../api/enums/ChannelNumbering.gen";
import { ChannelOrder } from "../../api/enums/ChannelOrder.gen";
import { messageOf, Problem } from "../../api/problem";
import { type Failure, failureOf } from "../../api/unknownOutcome";
import type { Draft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import "../../forms/forms.css";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { SearchedSelect } from "../../forms/SearchedSelect";
import { CategoriesField } from "../../forms/StoredFields";
import { focusFirstInvalid, submitHandlers } from "../../forms/submitting";
import { DraftFields, useField, useIsChanged } from "../../forms/useDraftForm";
import { optionsOf } from "../../i18n/enums";
import { FailureAlert } from "../../ui/FailureAlert";
import { type ProfileDraft, profileQueries } from "./queries";
import "../../forms/mantine-forms.css";

const { Text, Amount, Flag } = fieldsOf<ProfileDraft>();

/** For a subscriber or for a key: the field that names it. */
type Audience = "username" | "keyId";

interface ProfileFormProps {
  draft: Draft<ProfileDraft>;
  /** The name of the key that it is for now. */
  keyName?: string | null;
  submitLabel: string;
  failureTitle: string;
  /** What to say where it is not known whether it was done. */
  unknown?: Failure;
  isPending: boolean;
  onSubmit: () => Promise<void>;
  onCancel: () => void;
  /** What an earlier visit left of it. */
  proposal: ReactNode;
  /** The page is left with what was typed, on purpose. */
  onLeave: () => void;
}

export function ProfileForm(props: ProfileFormProps) {
  const {
    draft,
    keyName,
    submitLabel,
    failureTitle,
    unknown,
    isPending,
    onSubmit,
    onCancel,
    proposal,
    onLeave,
  } = props;
  const { t } = useTranslation();
  const isChanged = useIsChanged(draft);
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure>();
  const [chosen, setChosen] = useState<Audience>("username");
  const audience = useSyncExternalStore(draft.subscribe, () => audienceIn(draft)) ?? chosen;
  const save = async () => {
    if (isPending) return;
    const isValid = draft.check();
    if (isValid && !draft.get(audience)) draft.setErrors([{ field: audience, code: "REQUIRED" }]);
    if (!isValid || !draft.get(audience)) return focusFirstInvalid(form.current);
    setFailure(undefined);
    try {
      await onSubmit();
    } catch (error) {
      if (error instanceof Problem) draft.setErrors(error.violations);
      const refused = { title: failureTitle, message: messageOf(error) };
      setFailure(unknown ? failureOf(error, failureTitle, unknown) : refused);
    }
  };
  return (
    <form ref={form} {...submitHandlers(() => void save())} noValidate>
      {isChanged && <LeaveGuard onLeave={onLeave} isKept />}
      {proposal}
      <DraftFields draft={draft} labels="liveProfiles">
        <div className="form-grid">
          <Text name="name" autoComplete="off" />
          <AudienceField audience={audience} onChoose={setChosen} keyName={keyName} />
          <CategoriesField name="categories" of="TV_CHANNEL" none={t("liveProfiles.allCategories")} />
          <div data-span="6">
            <Options name="order" of={optionsOf(ChannelOrder)} />
          </div>
          <div data-span="6">
            <Options name="numbering" of={optionsOf(ChannelNumbering)} />
          </div>
          <div data-span="6">
            <Amount name="guideDays" />
          </div>
          <div data-span="6">
            <Amount name="callsPerMinute" />
          </div>
          <Flag name="adultContent" />
          <Flag name="onlyPlaying" />
        </div>
      </DraftFields>
      <FailureAlert title={failure?.title ?? ""} mt="md">
        {failure?.message}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" aria-disabled={isPending}>
          {submitLabel}
        </Button>
      </Group>
    </form>
  );
}

/** The audience that the draft names; the version of another user may name the other audience. */
function audienceIn(draft: Draft<ProfileDraft>): Audience | undefined {
  return draft.get("keyId") ? "keyId" : draft.get("username") ? "username" : undefined;
}

interface AudienceProps {
  audience: Audience;
  onChoose: (audience: Audience) => void;
  keyName?: string | null;
}

/** The choice between the two audiences: choosing one clears the value of the other. */
function AudienceField({ audience, onChoose, keyName }: AudienceProps) {
  const { t } = useTranslation();
  const user = useField<string | null>("username");
  const key = useField<number | null>("keyId");
  const choose = (next: string) => {
    onChoose(next as Audience);
    (next === "keyId" ? user : key).change(null);
  };
  return (
    <fieldset className="profile-audience">
      <legend>{t("liveProfiles.audience")}</legend>
      <SegmentedControl
        aria-label={t("liveProfiles.audience")}
        data={[
          { value: "username", label: t("liveProfiles.forSubscriber") },
          { value: "keyId", label: t("liveProfiles.forKey") },
        ]}
        className="profile-audience-kind"
        value={audience}
        onChange={choose}
      />
      {audience === "username" ? <Subscriber /> : <Key keyName={keyName} />}
    </fieldset>
  );
}

/** One of a few, and always one. */
function Options({ name, of }: { name: "order" | "numbering"; of: Option[] }) {
  const { value, change, input } = useField<string | null>(name);
  return <Select {...input} data={of} allowDeselect={false} value={value} onChange={change} />;
}

interface Option {
  value: string;
  label: string;
}

function Subscriber() {
  const { value, change, input } = useField<string | null>("username");
  return (
    <SearchedSelect
      {...input}
      withAsterisk
      query={profileQueries.subscribers}
      optionOf={({ username, fullName }) => ({ value: username, label: `${fullName} (${username})` })}
      value={value ?? null}
      onChoose={change}
    />
  );
}

function Key({ keyName }: { keyName?: string | null }) {
  const { value, change, input } = useField<number | null>("keyId");
  return (
    <SearchedSelect
      {...input}
      withAsterisk
      query={profileQueries.keys}
      optionOf={({ id, name, hint, state }) =>
        state === "ACTIVE" ? { value: String(id), label: `${name} (${hint}…)` } : undefined
      }
      known={value && keyName ? [{ value: String(value), label: keyName }] : []}
      value={value ? String(value) : null}
      onChoose={(id) => change(Number(id))}
    />
  );
}
