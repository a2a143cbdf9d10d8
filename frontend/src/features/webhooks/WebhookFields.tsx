// The fields of a webhook, in the forms that create and edit.
import { Checkbox } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useTranslation } from "react-i18next";
import { EventType } from "../../api/enums/EventType.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { useField } from "../../forms/useDraftForm";
import { optionsOf } from "../../i18n/enums";
import { FormSection } from "../../ui/FormSection";
import type { WebhookDraft } from "./hooks";
import "./webhooks.css";

const { Text, Flag } = fieldsOf<WebhookDraft>();

export function WebhookFields() {
  const { t } = useTranslation();
  return (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={t("webhooks.sections.receiver")}>
          <div className="form-grid">
            <Text name="name" autoComplete="off" />
            <Text name="url" type="url" autoComplete="off" placeholder={t("webhooks.urlExample")} />
            <Flag name="active" />
          </div>
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={t("webhooks.sections.events")}>
          <Events />
        </FormSection>
      </div>
    </div>
  );
}

/** Test events are sent by a button, so webhooks can't subscribe to them. */
function Events() {
  const { value, change, input } = useField<string[]>("events");
  const { t } = useTranslation();
  const options = optionsOf(EventType).filter((option) => option.value !== "TEST");
  return (
    <Checkbox.Group
      label={input.label}
      description={t("webhooks.help.events")}
      error={input.error}
      withAsterisk
      value={value ?? []}
      onChange={(chosen) => change(options.map((one) => one.value).filter((one) => chosen.includes(one)))}
    >
      <div className="webhook-choices">
        {options.map((option, index) => (
          <Checkbox
            key={option.value}
            value={option.value}
            label={option.label}
            data-field-error={index === 0 && input.error ? true : undefined}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
