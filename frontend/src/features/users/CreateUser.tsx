// Form of a new user; leads to their first credits where their role has credits.
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Role } from "../../access/permissions";
import type { Problem } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { fieldsOf } from "../../forms/fieldsOf";
import { useCreatedInARow } from "../../forms/useCreatedInARow";
import { paths } from "../../routing/paths";
import { FormSection } from "../../ui/FormSection";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { operationsFor } from "./credits";
import { PasswordField } from "./PasswordField";
import { newUserRule } from "./password";
import { useCreateUser } from "./queries";
import { RoleField } from "./RoleField";
import { UserFields } from "./UserFields";
import { useBackToUsers } from "./useBackToUsers";
import type { NewUser } from "./user";

const { Text } = fieldsOf<NewUser>();

const blank = (): PartialDraft<NewUser> => ({ roleCode: "app" });

export function CreateUser() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const back = useBackToUsers();
  // A copy is of a user who was deleted while being edited.
  const { draft, isCopy, formKey, isNew, another } = useCreatedInARow<NewUser>(blank, newUserRule);
  const creating = useCreateUser();
  const once = useIdempotencyKey();

  const save = async (isFollowed = false) => {
    const body = draft.toPayload();
    const { username, fullName, role } = await creating.mutateAsync({
      draft: body,
      idempotencyKey: once.keyFor(body),
    });
    once.forget();
    toast.success(t("users.created", { name: fullName }));
    draft.reset(blank());
    if (isFollowed) return another();
    const takesCredits = operationsFor(role.code as Role).length > 0;
    navigate(takesCredits ? paths.userCredits(username) : paths.users, { replace: isCopy });
  };

  /** A user name that exists is shown at its field. */
  const tellAtField = ({ code, message }: Problem) => {
    if (code !== "CONFLICT") return false;
    draft.setErrors([{ field: "username", code, message }]);
    return true;
  };

  return (
    <>
      <PageHeading title={t("users.create")} back={back.link} />
      <EditForm
        key={formKey}
        draft={draft}
        labels="users"
        submitLabel={t("users.create")}
        onSave={() => save()}
        onSaveAndNext={() => save(true)}
        nextLabel={t("form.saveAndCreate")}
        isNew={isNew}
        onCancel={back.go}
        once={once}
        onFailure={tellAtField}
      >
        <div className="form-columns">
          <div className="form-main">
            <UserFields />
          </div>
          <div className="form-rail">
            <FormSection title={t("users.sections.account")}>
              <div className="form-grid">
                <RoleField />
                <Text name="username" autoComplete="off" />
                <PasswordField />
              </div>
            </FormSection>
          </div>
        </div>
      </EditForm>
    </>
  );
}
