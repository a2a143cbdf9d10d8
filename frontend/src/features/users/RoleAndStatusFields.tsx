// The account beside the personal data: user name, role, status, expiration, and its use so far.
import { Switch, TextInput } from "@mantine/core";
import "@mantine/core/styles/Switch.layer.css";
import { useTranslation } from "react-i18next";
import { DateField, dayOf } from "../../forms/DateField";
import { fieldsOf } from "../../forms/fieldsOf";
import { useForm, useValue } from "../../forms/useDraftForm";
import { formatNumber } from "../../i18n/formats";
import { FormSection } from "../../ui/FormSection";
import { Dash, Moment } from "../../ui/values";
import { CreditsBadge } from "./badges";
import { Expiration, noExpirationKey } from "./Expiration";
import type { EditableFields } from "./editing";
import { RegistrarField } from "./RegistrarField";
import { RoleField } from "./RoleField";
import type { User, UserEdit } from "./user";

const { Choice } = fieldsOf<UserEdit>();

export function RoleAndStatusFields({ user, editable }: { user: User; editable: EditableFields }) {
  const { t } = useTranslation();
  return (
    <>
      <FormSection title={t("users.sections.account")}>
        <div className="form-grid">
          <TextInput
            label={t("users.fields.username")}
            description={t("users.usernameStays")}
            inputWrapperOrder={["label", "input", "description"]}
            readOnly
            value={user.username}
          />
          <div>
            <RoleField isFixed={!editable.setsRole} />
            {user.role.code === "app" && <PasswordOfOtherRole />}
          </div>
          <Choice name="status" of={editable.statuses} isFixed={!editable.setsStatus} />
          <DateField
            name="expirationDate"
            placeholder={t(noExpirationKey(user))}
            isFixed={!editable.setsExpiration}
            // A day means its end where the service is. The day that it was already means the moment that it was.
            keep={(day) =>
              day && user.expirationDate && day === dayOf(user.expirationDate) ? user.expirationDate : day
            }
          />
          {editable.setsExpiration && user.subscription?.state === "NOT_STARTED" && <GrantWithoutEnd />}
          {editable.setsRegistrar && <RegistrarField user={user} />}
        </div>
      </FormSection>
      <FormSection title={t("users.sections.soFar")}>
        <dl className="user-facts">
          <div>
            <dt>{t("users.columns.credits")}</dt>
            <dd>
              <CreditsBadge of={user} />
            </dd>
          </div>
          {user.expirationDate && (
            <div>
              <dt>{t("users.columns.expirationDate")}</dt>
              <dd>
                <Expiration of={user} />
              </dd>
            </div>
          )}
          <div>
            <dt>{t("users.columns.signIns")}</dt>
            <dd className="tabular">{formatNumber(user.signIns)}</dd>
          </div>
          <div>
            <dt>{t("users.columns.createdDate")}</dt>
            <dd>
              <Moment of={user.createdDate} />
            </dd>
          </div>
          {!editable.setsRegistrar && (
            <div>
              <dt>{t("users.columns.registeredBy")}</dt>
              <dd>{user.registeredBy ?? <Dash />}</dd>
            </div>
          )}
        </dl>
      </FormSection>
    </>
  );
}

/** The password of an app user, which may be short, is none for another role. */
function PasswordOfOtherRole() {
  const { t } = useTranslation();
  const role = useValue<string | null>("roleCode");
  return (
    <p className="quiet" role="status">
      {role && role !== "app" ? t("users.passwordEnds") : ""}
    </p>
  );
}

/** A subscription that never ends is granted on purpose: an empty date alone leaves it as it is, not started. */
function GrantWithoutEnd() {
  const { t } = useTranslation();
  const { draft } = useForm();
  const subscription = useValue<UserEdit["subscription"]>("subscription");
  const expirationDate = useValue<string | null>("expirationDate");
  return (
    <Switch
      label={t("users.grantWithoutEnd")}
      description={t("users.grantWithoutEndHelp")}
      disabled={!!expirationDate}
      checked={!expirationDate && subscription?.state === "NO_EXPIRATION"}
      onChange={({ currentTarget }) =>
        draft.set("subscription", { state: currentTarget.checked ? "NO_EXPIRATION" : "NOT_STARTED" })
      }
    />
  );
}
