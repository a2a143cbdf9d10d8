// The credit dialog: whose credits, what they have, and the form. Reads the user anew, also where the page
// behind it shows them. Closing it asks for a confirmation where something was typed.
import { Skeleton } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { isMissing, messageOf, unlessMissing } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { confirm } from "../../ui/confirm";
// The question before leaving comes with the form that it guards.
import "../../ui/ConfirmDialog";
import { closingTime, Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { RoleBadge } from "./badges";
import { CreditForm } from "./CreditForm";
import { Expiration } from "./Expiration";
import { userQueries } from "./queries";
import { allowedWith, type User } from "./user";

interface CreditDialogProps {
  username: string;
  /** It is gone from the screen. */
  onClosed: () => void;
}

export function CreditDialog({ username, onClosed }: CreditDialogProps) {
  const { t } = useTranslation();
  const { isOpen, close } = useClosing(onClosed);
  const isChanged = useRef(() => false);
  const discard = useRef(() => {});
  const askAndClose = async () => {
    const leaves =
      !isChanged.current() ||
      (await confirm({
        title: t("form.leaveTitle"),
        consequence: t("credits.leaveConsequence"),
        verb: t("form.leaveVerb"),
        cancel: t("form.leaveCancel"),
      }));
    if (!leaves) return;
    discard.current();
    close();
  };
  return (
    <Dialog title={t("credits.title")} onClose={() => void askAndClose()} size="lg" isForm isOpen={isOpen}>
      <Suspense fallback={<OnItsWay />}>
        <Content
          username={username}
          onDone={close}
          onCancel={() => void askAndClose()}
          isChanged={isChanged}
          discard={discard}
        />
      </Suspense>
    </Dialog>
  );
}

/** Removes the dialog from the address after its closing animation; at once with reduced motion. */
function useClosing(onClosed: () => void) {
  const [isOpen, setOpen] = useState(true);
  const time = useReducedMotion() ? 0 : closingTime;
  const latest = useRef(onClosed);
  latest.current = onClosed;
  useEffect(() => {
    if (isOpen) return;
    const timer = setTimeout(() => latest.current(), time);
    return () => clearTimeout(timer);
  }, [isOpen, time]);
  return { isOpen, close: () => setOpen(false) };
}

interface ContentProps {
  username: string;
  onDone: () => void;
  onCancel: () => void;
  isChanged: { current: () => boolean };
  discard: { current: () => void };
}

function Content({ username, ...form }: ContentProps) {
  const { t } = useTranslation();
  const caller = useUser();
  const user = useQuery(userQueries.one(username));
  const found = unlessMissing(user);
  if (user.isError && !found)
    return (
      <ErrorView
        title={t("users.loadFailed")}
        message={messageOf(user.error)}
        onRetry={isMissing(user.error) ? undefined : () => void user.refetch()}
      />
    );
  if (!found) return <OnItsWay />;
  if (!allowedWith(caller, found).credits)
    return <ErrorView title={t("credits.notHere")} message={t("credits.notHereReason")} />;
  return (
    <>
      <Summary user={found} />
      <CreditForm user={found} {...form} />
    </>
  );
}

/** The shape of what comes: nothing jumps when it does. */
function OnItsWay() {
  const { t } = useTranslation();
  return <Skeleton h={440} role="status" aria-label={t("users.loading")} />;
}

function Summary({ user }: { user: User }) {
  const { t } = useTranslation();
  const isAgent = user.role.code === "agent";
  return (
    <div className="credit-summary">
      <div className="credit-user">
        <strong>{user.fullName}</strong>
        <span className="user-username">{user.username}</span>
        <RoleBadge role={user.role.code} />
      </div>
      <dl className="credit-facts">
        <div>
          <dt>{isAgent ? t("credits.forSale") : t("credits.ofApp")}</dt>
          <dd className="tabular">{formatNumber(isAgent ? user.saleCredits : user.credits)}</dd>
        </div>
        {!isAgent && (
          <div>
            <dt>{t("users.columns.expirationDate")}</dt>
            <dd>
              <Expiration of={user} />
            </dd>
          </div>
        )}
      </dl>
    </div>
  );
}
