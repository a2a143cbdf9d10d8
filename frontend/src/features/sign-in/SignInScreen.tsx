// The sign-in: name, line, form. Plain HTML and its own few rules of style, so that it is there at once;
// neither the component library nor the router must be imported here.
import { type FormEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../access/session";
import { call } from "../../api/client";
import { Problem } from "../../api/problem";
import { t } from "../../i18n";
import { LanguageSwitch } from "../../i18n/LanguageSwitch";
import { repeatPress } from "../../loading/earlyPress";
import { whenIdle } from "../../loading/whenIdle";
import { usePageTitle } from "../../routing/usePageTitle";
import "./sign-in.css";

interface SignInScreenProps {
  /** Downloads what comes after the sign-in. */
  prefetch: () => Promise<unknown>;
  hasExpired: boolean;
}

export function SignInScreen({ prefetch, hasExpired }: SignInScreenProps) {
  const { t } = useTranslation();
  usePageTitle(t("signIn.heading"));
  useEffect(() => whenIdle(() => void prefetch().catch(() => {})), [prefetch]); // The router loads it again.
  return (
    <main className="plain-screen">
      <div className="sign-in-language">
        <LanguageSwitch />
      </div>
      <section className="plain-card sign-in">
        <header className="sign-in-brand">
          <img src="/favicon.svg" alt="" width="44" height="44" />
          <div>
            <p className="sign-in-product">{t("product.name")}</p>
            <p className="sign-in-line">{t("product.line")}</p>
          </div>
        </header>
        <h1>{t("signIn.heading")}</h1>
        <SignInForm notice={hasExpired ? t("errors.sessionExpired") : undefined} />
        <DefaultAccountHint />
      </section>
    </main>
  );
}

interface SignInFormProps {
  notice?: string;
  /** The username of the expired session: only the password is entered. */
  lastUsername?: string;
}

export function SignInForm({ notice, lastUsername = "" }: SignInFormProps) {
  const { t } = useTranslation();
  const { signIn } = useSession();
  const [username, setUsername] = useState(lastUsername);
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isTakenOver, setTakenOver] = useState(false);
  const usernameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const ids = { username: useId(), password: useId(), failure: useId() };
  const isFilled = username.trim() !== "" && password !== "";

  // What was typed into the document's form before the program was there.
  useLayoutEffect(() => {
    setUsername(usernameInput.current?.value ?? "");
    setPassword(passwordInput.current?.value ?? "");
    setTakenOver(true);
  }, []);
  useEffect(() => {
    if (isTakenOver) repeatPress();
  }, [isTakenOver]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isFilled || isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await signIn(username.trim(), password);
    } catch (error) {
      setFailure(signInFailure(error));
      setBusy(false);
      passwordInput.current?.select();
    }
  };

  return (
    <form onSubmit={submit} noValidate>
      <div aria-live="assertive">
        {failure && (
          <div className="plain-alert" id={ids.failure}>
            <strong>{t("signIn.failed")}</strong>
            <span>{failure}</span>
          </div>
        )}
      </div>
      {notice && !failure && <output className="plain-notice">{notice}</output>}
      <label htmlFor={ids.username}>{t("signIn.username")}</label>
      <input
        id={ids.username}
        ref={usernameInput}
        // The document's has `autofocus`.
        suppressHydrationWarning
        name="username"
        data-mantine-stop-propagation="true"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the page has one purpose and this is where it starts
        autoFocus={lastUsername === "" && !isInField()}
        value={username}
        onChange={(event) => {
          setUsername(event.target.value);
          setFailure(null);
        }}
      />
      <label htmlFor={ids.password}>{t("signIn.password")}</label>
      <input
        id={ids.password}
        ref={passwordInput}
        name="password"
        data-mantine-stop-propagation="true"
        type="password"
        autoComplete="current-password"
        // biome-ignore lint/a11y/noAutofocus: all that is missing of a session that expired
        autoFocus={lastUsername !== ""}
        aria-describedby={failure ? ids.failure : undefined}
        value={password}
        onChange={(event) => {
          setPassword(event.target.value);
          setFailure(null);
        }}
      />
      <button
        type="submit"
        className="plain-button"
        data-mantine-stop-propagation="true"
        // The document's is enabled by its script, and busy after a press.
        suppressHydrationWarning
        disabled={!isFilled || isBusy}
        aria-busy={isBusy}
      >
        {isBusy ? t("signIn.busy") : t("signIn.submit")}
      </button>
    </form>
  );
}

/** Keeps the focus of a user who already types into the form of the document. */
function isInField(): boolean {
  return typeof document !== "undefined" && document.activeElement instanceof HTMLInputElement;
}

/** Shown only while the first account still has its first password; neither is ever shown. */
function DefaultAccountHint() {
  const { t } = useTranslation();
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const request = new AbortController();
    call("get", "/auth/info", { signal: request.signal })
      .then((info) => setThere(info?.defaultAccount === true))
      .catch(() => {}); // A hint that cannot be fetched is left out.
    return () => request.abort();
  }, []);
  return isThere ? <p className="sign-in-hint">{t("signIn.defaultAccount")}</p> : null;
}

function signInFailure(error: unknown): string {
  // Called when it is shown, so that it speaks the language of that moment.
  if (!(error instanceof Problem)) return t("signIn.unexpected");
  return error.isNetwork ? t("signIn.network") : error.message;
}
