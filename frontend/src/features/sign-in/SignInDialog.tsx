// The sign-in over the page, for a session that expires while the panel is open. A native dialog: it is above all
// others and leaves them and their typed values unchanged.
import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../access/session";
import { SignInForm } from "./SignInScreen";
import "./sign-in-dialog.css";

export default function SignInDialog({ username }: { username: string }) {
  const { t } = useTranslation();
  const { cancelSignIn } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Opening it gives the focus to its first field, which is filled in.
    element?.querySelector<HTMLElement>('[type="password"]')?.focus();
    // Closed while it is still in the page, it gives the focus back.
    return () => element?.close();
  }, []);
  // The page beneath has shortcuts and focus traps of its own.
  const keepKeys = (event: KeyboardEvent) => {
    event.stopPropagation();
    const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
    if (event.key === "Escape" || isSave) event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="plain-card sign-in sign-in-dialog"
      aria-labelledby="sign-in-again"
      onKeyDown={keepKeys}
      onCancel={(event) => event.preventDefault()}
    >
      <h2 id="sign-in-again">{t("signIn.heading")}</h2>
      <p className="sign-in-kept">{t("signIn.kept")}</p>
      <SignInForm notice={t("errors.sessionExpired")} lastUsername={username} />
      <button
        type="button"
        className="plain-button quiet"
        data-mantine-stop-propagation="true"
        onClick={cancelSignIn}
      >
        {t("signIn.cancel")}
      </button>
    </dialog>
  );
}
