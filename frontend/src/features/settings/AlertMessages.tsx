// The alert messages, each with how much of its 150 characters it takes.

import { useTranslation } from "react-i18next";
import type { DraftOf } from "../../api/resources";
import { rules } from "../../api/rules.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { EntryActions } from "./EntryActions";
import { EntryForm } from "./EntryForm";
import { EntryListing } from "./EntryListing";
import { useSettingsAddress } from "./useSettingsAddress";

const { LongText } = fieldsOf<DraftOf<"alert-messages">>();
const max = rules.AlertMessage.properties.message.maxLength;

export function AlertMessages({ canChange }: { canChange: boolean }) {
  const { t } = useTranslation();
  const { editing } = useSettingsAddress();
  if (canChange && editing !== undefined)
    return (
      <EntryForm list="alert-messages" editing={editing} blank={{}}>
        <div className="narrow-form">
          <LongText name="message" rows={3} isCounted />
        </div>
      </EntryForm>
    );
  return (
    <EntryListing
      list="alert-messages"
      canChange={canChange}
      height={64}
      render={(entry) => (
        <article className="message-row">
          <p>{entry.message}</p>
          <span className="quiet tabular" title={t("appSettings.alert-messages.length")}>
            {t("form.counter", { length: [...entry.message].length, max })}
          </span>
          {canChange && <EntryActions list="alert-messages" entry={entry} name={entry.message} />}
        </article>
      )}
    />
  );
}
