// The settings of the streaming app as one form, or as a table for users who may only read them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useConflict } from "../../forms/ConflictDialog";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { fieldsOf } from "../../forms/fieldsOf";
import { formatNumber } from "../../i18n/formats";
import { formatList, formatPrice } from "../../i18n/lazyFormats";
import { ErrorView } from "../../ui/ErrorView";
import { FormSection } from "../../ui/FormSection";
import { toast } from "../../ui/toast";
import { Dash } from "../../ui/values";
import { PeriodsField, periods } from "./PeriodsField";
import { type AppSettings, type StoredAppSettings, settingsQueries, useSaveSettings } from "./queries";

const { Amount } = fieldsOf<AppSettings>();

export function ControlTab({ canChange }: { canChange: boolean }) {
  const { t } = useTranslation();
  const settings = useQuery({ ...settingsQueries.settings, refetchOnMount: canChange ? "always" : true });
  const { data } = settings;
  if (settings.isError && !data)
    return (
      <ErrorView
        title={t("appSettings.control.loadFailed")}
        message={messageOf(settings.error)}
        onRetry={() => void settings.refetch()}
      />
    );
  // Cached settings may be stale: the form begins with those of a new response.
  if (!data || (canChange && !settings.isFetchedAfterMount)) return <FormSkeleton />;
  return canChange ? <ControlForm stored={data} /> : <ControlTable settings={data} />;
}

function ControlForm({ stored }: { stored: StoredAppSettings }) {
  const { t } = useTranslation();
  const [draft] = useState(
    () => new Draft<AppSettings>(stored as PartialDraft<AppSettings>, rules.AppSettings),
  );
  const [saved, setSaved] = useState(stored);
  const saving = useSaveSettings();
  const labels = "appSettings.control";

  const saveOver = async (version: number) => {
    const sent = draft.toPayload();
    const now = await saving.mutateAsync({ settings: sent, version });
    toast.success(t("appSettings.control.saved"));
    draft.reset(now as PartialDraft<AppSettings>, draft.writtenSince(sent));
    setSaved(now);
    conflict.baseOn(now.version, now);
  };
  const conflict = useConflict({ draft, stored, resource: "app-settings", labels, saveOver });
  const { base } = conflict;
  // After a merge, cancelling returns to the other user's version.
  const before = base.version > saved.version ? base : saved;

  return (
    <div className="narrow-form">
      <EditForm
        draft={draft}
        labels={labels}
        submitLabel={t("appSettings.save")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => saveOver(base.version)}
        onCancel={() => draft.reset(before as PartialDraft<AppSettings>)}
        onFailure={conflict.takeOver}
      >
        <FormSection title={t("appSettings.control.app")}>
          <div className="form-grid">
            <Amount name="itemsPerPage" />
            <Amount name="maxTransactionsPerAgent" />
          </div>
        </FormSection>
        <FormSection title={t("appSettings.control.sales")}>
          <div className="form-grid">
            <Amount name="monthlyCreditsPrice" />
            <Amount name="annualCreditsPrice" />
          </div>
          <PeriodsField name="allowedPeriods" />
        </FormSection>
      </EditForm>
      {conflict.dialog}
    </div>
  );
}

function ControlTable({ settings }: { settings: StoredAppSettings }) {
  const { t } = useTranslation();
  const allowed = periods.filter((period) => settings.allowedPeriods[period]);
  const rows = {
    itemsPerPage: formatNumber(settings.itemsPerPage),
    maxTransactionsPerAgent: formatNumber(settings.maxTransactionsPerAgent),
    monthlyCreditsPrice: formatPrice(settings.monthlyCreditsPrice),
    annualCreditsPrice: formatPrice(settings.annualCreditsPrice),
    allowedPeriods: allowed.length ? (
      formatList(allowed.map((period) => t(`appSettings.control.periods.${period}`)))
    ) : (
      <Dash />
    ),
  };
  return (
    <dl className="settings-values">
      {Object.entries(rows).map(([field, value]) => (
        <div key={field}>
          <dt>{t(`appSettings.control.fields.${field as keyof typeof rows}`)}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
