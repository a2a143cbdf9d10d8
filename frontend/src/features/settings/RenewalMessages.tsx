// The messages that remind customers of the end of their subscription, in both languages.
import { useTranslation } from "react-i18next";
import type { DraftOf } from "../../api/resources";
import { fieldsOf } from "../../forms/fieldsOf";
import { EntryActions } from "./EntryActions";
import { EntryForm } from "./EntryForm";
import { EntryListing } from "./EntryListing";
import { useSettingsAddress } from "./useSettingsAddress";

const { Text, LongText } = fieldsOf<DraftOf<"renewal-messages">>();

export function RenewalMessages({ canChange }: { canChange: boolean }) {
  const { t } = useTranslation();
  const { editing } = useSettingsAddress();
  if (canChange && editing !== undefined)
    return (
      <EntryForm list="renewal-messages" editing={editing} blank={{}}>
        <div className="narrow-form message-form">
          <p className="settings-help">{t("appSettings.renewal-messages.variables")}</p>
          <Text name="name" />
          <LongText name="spanish" rows={4} isCounted />
          <LongText name="english" rows={4} isCounted />
        </div>
      </EntryForm>
    );
  return (
    <EntryListing
      list="renewal-messages"
      canChange={canChange}
      height={96}
      render={(entry) => (
        <article className="message-row">
          <div className="message-texts">
            <h3>{entry.name}</h3>
            <p lang="es">{entry.spanish}</p>
            <p lang="en">{entry.english}</p>
          </div>
          {canChange && <EntryActions list="renewal-messages" entry={entry} name={entry.name} />}
        </article>
      )}
    />
  );
}
