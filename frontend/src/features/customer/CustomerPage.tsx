// The page of a user, for those who see the user: subscription, notes, movements, activity, and all actions, each for whom
// it is allowed.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate, useParams } from "react-router";
import { useRecentItem } from "../../access/recent";
import { useMay, useUser } from "../../access/session";
import { UserLanguage } from "../../api/enums/UserLanguage.gen";
import { isMissing, messageOf, unlessMissing } from "../../api/problem";
import { HistoryIcon as ChangesIcon } from "../../history/HistoryIcon";
import { loadTexts } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { DeleteIcon, EditIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import { returnAddress } from "../../ui/list/listState";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { Dash, Moment } from "../../ui/values";
import { ContactedIcon, MessageIcon, RenewIcon } from "../renewals/icons";
import { RoleBadge } from "../users/badges";
import { CreditsIcon, HistoryIcon, PasswordIcon } from "../users/icons";
import { userQueries } from "../users/queries";
import { StatusControl } from "../users/StatusControl";
import { useRemove } from "../users/UserActions";
import { allowedWith, isSame, type User } from "../users/user";
import { Devices, Reports, Visits } from "./Activity";
import { Movements } from "./Movements";
import { Notes } from "./Notes";
import { Part } from "./Part";
import { AgentStock, Subscription } from "./Subscription";
import "../../forms/forms.css";
import "../renewals/renewals.css";
import "../users/users.css";
import "./customer.css";

const CreditDialog = lazyPart(
  async () => ({ default: (await import("../users/CreditDialog")).CreditDialog }),
  { isDialog: true },
);
const ResetPasswordDialog = lazyPart(
  async () => ({ default: (await import("../users/ResetPasswordDialog")).ResetPasswordDialog }),
  { isDialog: true },
);
const MessageDialog = lazyPart(() => import("../renewals/MessageDialog"), { isDialog: true });
/** Days are written and read with texts of their own. */
const ContactDialog = lazyPart(
  async () => (await Promise.all([import("../renewals/ContactDialog"), loadTexts("empty")]))[0],
  { isDialog: true },
);
const UserHistory = lazyPart(
  async () => (await Promise.all([import("../users/UserHistory"), loadTexts("history")]))[0],
  { isDialog: true },
);
const UserSessions = lazyPart(async () => {
  const [module] = await Promise.all([import("../sessions/UserSessions"), loadTexts("sessions")]);
  return module;
});

export default function CustomerPage() {
  const { username = "" } = useParams();
  const { t } = useTranslation();
  const user = useQuery(userQueries.one(username));
  const back = useBack();
  const found = unlessMissing(user);
  if (found) return <Loaded key={found.username} user={found} />;
  if (user.error)
    return (
      <>
        <PageHeading title={t("pages.users")} back={back} />
        <ErrorView
          title={t("users.loadFailed")}
          message={isMissing(user.error) ? t("customer.notFound") : messageOf(user.error)}
          onRetry={isMissing(user.error) ? undefined : () => void user.refetch()}
        />
      </>
    );
  return <PageSkeleton />;
}

/** The list that one came from, as it was left. */
function useBack() {
  const { t } = useTranslation();
  const { state } = useLocation();
  const isFromRenewals = (state as { from?: string } | null)?.from === "renewals";
  return isFromRenewals
    ? {
        to: returnAddress("renewals", paths.renewals),
        label: t("customer.back"),
        state: { restoresList: true },
      }
    : { to: returnAddress("users", paths.users), label: t("users.back"), state: { restoresList: true } };
}

type Open = "credits" | "password" | "message" | "contact" | "changes";

function Loaded({ user }: { user: User }) {
  const may = useMay();
  const caller = useUser();
  const back = useBack();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { username, fullName, version } = user;
  const allowed = allowedWith(caller, user);
  const isCustomer = user.role.code === "app";
  const isSelf = isSame(caller.username, username);
  useRecentItem({ of: "users", name: fullName, path: paths.user(username) });

  return (
    <>
      <PageHeading
        title={fullName}
        back={back}
        aside={
          <span className="customer-aside">
            <span className="quiet">{username}</span>
            <RoleBadge role={user.role.code} />
            <StatusControl row={user} />
          </span>
        }
        actions={<Actions user={user} onOpen={setOpen} />}
      />
      <div className="customer-columns">
        <div className="customer-main">
          {isCustomer && <Subscription user={user} mayChange={allowed.toggle} />}
          {user.role.code === "agent" && <AgentStock user={user} />}
          {!isSelf && <Notes username={username} mayWrite={allowed.toggle} />}
          {may("CREDIT_HISTORY_READ") && (isCustomer || user.role.code === "agent") && (
            <Movements username={username} />
          )}
        </div>
        <div className="customer-rail">
          <Details user={user} />
          <Devices username={username} />
          <Visits username={username} />
          {isCustomer && <Reports username={username} />}
        </div>
      </div>
      {allowed.edit && (
        <Suspense fallback={null}>
          <UserSessions username={username} fullName={fullName} />
        </Suspense>
      )}
      <Suspense fallback={null}>
        {open === "credits" && <CreditDialog username={username} onClosed={close} />}
        {open === "password" && <ResetPasswordDialog user={user} onClose={close} />}
        {open === "message" && <MessageDialog customers={[user]} onClose={close} />}
        {open === "contact" && <ContactDialog customer={user} onClose={close} />}
        {open === "changes" && (
          <UserHistory username={username} name={fullName} version={version} onClose={close} />
        )}
      </Suspense>
    </>
  );
}

function Actions({ user, onOpen }: { user: User; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const allowed = allowedWith(useUser(), user);
  const remove = useRemove();
  const { username, fullName: name } = user;
  const isCustomer = user.role.code === "app";
  const isAgent = user.role.code === "agent";
  const actions: (Action | false)[] = [
    allowed.edit && {
      label: t("users.edit", { name }),
      verb: t("common.edit"),
      Icon: EditIcon,
      to: paths.editUser(username),
    },
    {
      label: t("users.changes"),
      verb: t("users.changes"),
      Icon: ChangesIcon,
      onClick: () => onOpen("changes"),
    },
    isCustomer &&
      allowed.toggle && {
        label: t("renewals.contactOne", { name }),
        verb: t("renewals.contactVerb"),
        Icon: ContactedIcon,
        onClick: () => onOpen("contact"),
      },
    allowed.history && {
      label: t("users.history", { name }),
      verb: t("users.historyVerb"),
      Icon: HistoryIcon,
      to: paths.creditsHistoryOf(username),
    },
    allowed.history &&
      isAgent && {
        label: t("customer.statement"),
        verb: t("customer.statement"),
        Icon: CreditsIcon,
        to: paths.statementOf(username),
      },
    allowed.password && {
      label: t("users.reset.of", { name }),
      verb: t("users.reset.open"),
      Icon: PasswordIcon,
      onClick: () => onOpen("password"),
    },
    allowed.remove && {
      label: t("users.delete", { name }),
      verb: t("common.delete"),
      Icon: DeleteIcon,
      onClick: () => void remove(user, () => navigate(paths.users)),
    },
  ];
  return (
    <>
      {allowed.credits && (
        <Button
          leftSection={isCustomer ? <RenewIcon size={16} /> : <CreditsIcon size={16} />}
          onClick={() => onOpen("credits")}
        >
          {t(isCustomer ? "customer.renew" : "users.creditsVerb")}
        </Button>
      )}
      {isCustomer && allowed.credits && (
        <Button variant="default" leftSection={<MessageIcon size={16} />} onClick={() => onOpen("message")}>
          {t("customer.write")}
        </Button>
      )}
      <ActionButtons name={name} actions={actions.filter((action): action is Action => action !== false)} />
    </>
  );
}

function Details({ user }: { user: User }) {
  const { t } = useTranslation();
  const rows = [
    {
      key: "phone",
      value: user.phoneNumber && <a href={`tel:${user.phoneNumber}`}>{user.phoneNumber}</a>,
    },
    { key: "email", value: user.email && <a href={`mailto:${user.email}`}>{user.email}</a> },
    { key: "language", value: user.language && labelOf(UserLanguage, user.language) },
    { key: "address", value: user.address },
    { key: "comment", value: user.comment && <span className="customer-comment">{user.comment}</span> },
    { key: "registeredBy", value: <Registrar of={user} /> },
    { key: "registered", value: <Moment of={user.createdDate} /> },
    { key: "signIns", value: String(user.signIns) },
  ] as const;
  return (
    <Part title={t("customer.data")}>
      <dl className="user-facts">
        {rows.map(({ key, value }) => (
          <div key={key}>
            <dt>{t(`customer.${key}`)}</dt>
            <dd>{value || <Dash />}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

/** The registrar of a user. Agents do not see their own. */
function Registrar({ of: { username, registeredBy } }: { of: User }) {
  const caller = useUser();
  if (!registeredBy) return <Dash />;
  const isSeen = caller.roleCode !== "agent" || !isSame(caller.username, username);
  return isSeen ? <Link to={paths.user(registeredBy)}>{registeredBy}</Link> : registeredBy;
}
