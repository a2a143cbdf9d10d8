// Form of a user: their data and, for those who may change them, role, status and expiration. Shows an error where the user
// cannot be loaded or may not be changed by the caller.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useRecentItem } from "../../access/recent";
import { useMay, useUser } from "../../access/session";
import { isMissing, type Problem } from "../../api/problem";
import { useConflict } from "../../forms/ConflictDialog";
import { askToCreateAnew } from "../../forms/createAnew";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useStored } from "../../forms/useStored";
import { OpensHistory } from "../../history/OpensHistory";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { NotLoaded } from "../../ui/NotLoaded";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { type EditableFields, editRule, useEditableFields } from "./editing";
import { CreditsIcon } from "./icons";
import { userQueries, useSaveUser } from "./queries";
import { RoleAndStatusFields } from "./RoleAndStatusFields";
import { UserFields } from "./UserFields";
import { useBackToUsers } from "./useBackToUsers";
import { type Allowed, allowedWith, type User, type UserEdit } from "./user";

/** Fetched in parallel with the form, with its texts: the form does not wait for it. */
const UserSessions = lazyPart(async () => {
  const [module] = await Promise.all([import("../sessions/UserSessions"), loadTexts("sessions")]);
  return module;
});

const PasswordSection = lazyPart(() => import("./PasswordSection"));

export function EditUser({ username }: { username: string }) {
  const caller = useUser();
  const user = useQuery(userQueries.one(username));
  const stored = useStored(user, username);
  if (user.isError && !stored) return <NotHere error={user.error} onRetry={() => void user.refetch()} />;
  if (!stored) return <Loading />;
  if (!allowedWith(caller, stored).edit) return <NotHere />;
  return <EditLoaded stored={stored} />;
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <p className="quiet">{t("users.loading")}</p>
      <FormSkeleton />
    </>
  );
}

/** Shown for a user who could not be loaded or may not be changed by the caller. */
function NotHere({ error, onRetry }: { error?: Error; onRetry?: () => void }) {
  const { t } = useTranslation();
  const { link } = useBackToUsers();
  return (
    <NotLoaded
      page={t("pages.users")}
      title={t("users.loadFailed")}
      reason={error ?? t("users.notYours")}
      onRetry={onRetry}
      back={link}
    />
  );
}

const UserHistory = lazyPart(
  async () => (await Promise.all([import("./UserHistory"), loadTexts("history")]))[0],
  { isDialog: true },
);

interface HeadingActionsProps {
  allowed: Allowed;
  user: User;
  form: { draft: Draft<UserEdit>; editable: EditableFields };
}

function HeadingActions({ allowed, user, form }: HeadingActionsProps) {
  const { t } = useTranslation();
  const { username, fullName, version } = user;
  return (
    <>
      {allowed.history && (
        <Button component={Link} to={paths.creditsHistoryOf(username)} variant="default">
          {t("users.historyVerb")}
        </Button>
      )}
      {allowed.history && user.role.code === "agent" && (
        <Button component={Link} to={paths.statementOf(username)} variant="default">
          {t("pages.statements")}
        </Button>
      )}
      {allowed.credits && (
        <Button component={Link} to={paths.userCredits(username)} leftSection={<CreditsIcon size={16} />}>
          {t("users.creditsVerb")}
        </Button>
      )}
      <OpensHistory label={t("users.changes")}>
        {(close) => (
          <UserHistory username={username} name={fullName} version={version} form={form} onClose={close} />
        )}
      </OpensHistory>
    </>
  );
}

function EditLoaded({ stored }: { stored: User }) {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = useNavigate();
  const back = useBackToUsers();
  const allowed = allowedWith(useUser(), stored);
  const editable = useEditableFields(stored);
  const [draft] = useState(() => new Draft<UserEdit>(stored as PartialDraft<UserEdit>, editRule(editable)));
  const saving = useSaveUser(stored.username);
  const { username, fullName } = stored;
  // Where the palette leads, and the page of the user: one entry for each user.
  useRecentItem({ of: "users", name: fullName, path: paths.user(username) });

  const saveOver = async (version: number) => {
    const saved = await saving.mutateAsync({ version, draft: draft.toPayload() });
    toast.success(t("users.saved", { name: saved.fullName }));
    draft.reset(saved as PartialDraft<UserEdit>);
    back.go();
  };
  const conflict = useConflict({ draft, stored, resource: "users", labels: "users", saveOver });
  const { base } = conflict;
  /** The user was deleted meanwhile: offers to create a new one from the form, with a new password. */
  const createAnew = async (problem: Problem) => {
    if (!isMissing(problem) || !may("USER_CREATE")) return false;
    const values = { ...draft.storableValues(), username: base.username };
    if (!(await askToCreateAnew(base.fullName))) return false;
    draft.reset(base as PartialDraft<UserEdit>);
    navigate(paths.newUser, { state: { copy: values } });
    return true;
  };

  return (
    <>
      <PageHeading
        title={t("users.editTitle", { name: base.fullName })}
        back={back.link}
        actions={<HeadingActions allowed={allowed} user={base as User} form={{ draft, editable }} />}
      />
      <EditForm
        draft={draft}
        labels="users"
        submitLabel={t("users.submitEdit")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => saveOver(base.version)}
        onCancel={back.go}
        onFailure={async (problem) => (await conflict.takeOver(problem)) || createAnew(problem)}
      >
        <div className="form-columns">
          <div className="form-main">
            <UserFields />
          </div>
          <div className="form-rail">
            <RoleAndStatusFields user={base} editable={editable} />
          </div>
        </div>
      </EditForm>
      {allowed.password && (
        <Suspense fallback={null}>
          <PasswordSection user={stored} />
        </Suspense>
      )}
      <Suspense fallback={null}>
        <UserSessions username={base.username} fullName={base.fullName} />
      </Suspense>
      {conflict.dialog}
    </>
  );
}
