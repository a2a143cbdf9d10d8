// Registers somebody, and leads to their first credits where they can have any.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import type { Role } from "../../access/permissions";
import type { Problem } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { fieldsOf } from "../../forms/fieldsOf";
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
  // Of somebody who was deleted while they were edited.
  const { pathname, state } = useLocation();
  const { anew } = (state ?? {}) as { anew?: PartialDraft<NewUser> };
  const [draft] = useState(() => {
    const begun = new Draft<NewUser>(blank(), newUserRule);
    if (anew) begun.merge(anew);
    return begun;
  });
  const creating = useCreateUser();
  const once = useIdempotencyKey();
  // Counts the users that were created in a row: each begins with a form of its own.
  const [round, setRound] = useState(0);

  const save = async (isFollowed = false) => {
    const body = draft.toPayload();
    const { username, fullName, role } = await creating.mutateAsync({
      draft: body,
      idempotencyKey: once.keyFor(body),
    });
    once.forget();
    toast.success(t("users.created", { name: fullName }));
    draft.reset(blank());
    if (isFollowed) {
      // It is in the entry of the history: a reload would begin with it again.
      if (anew) navigate(pathname, { replace: true, preventScrollReset: true });
      return setRound((count) => count + 1);
    }
    const takesCredits = operationsFor(role.code as Role).length > 0;
    navigate(takesCredits ? paths.userCredits(username) : paths.users);
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
        key={round}
        draft={draft}
        labels="users"
        submitLabel={t("users.create")}
        onSave={() => save()}
        onSaveAndNext={() => save(true)}
        nextLabel={t("form.saveAndCreate")}
        isNew={round > 0}
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
