// The screen of an uncaught error. Plain HTML: it does not depend on other components.
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useRouteError } from "react-router";

interface ErrorScreenProps {
  /** Whether it replaces a page inside the shell. */
  isPage?: boolean;
  /** Resets the state that caused the error, before a retry. */
  beforeRetry?: () => void;
}

export function ErrorScreen({ isPage = false, beforeRetry }: ErrorScreenProps) {
  const { t } = useTranslation();
  const failure = useRouteError();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => console.error(failure), [failure]);
  const Container = isPage ? "div" : "main";
  const tryAgain = () => {
    beforeRetry?.();
    navigate(pathname + search, { replace: true });
  };
  return (
    <Container className="plain-screen">
      <section className="plain-card" role="alert">
        <h1>{t("errorScreen.title")}</h1>
        <p>{t("errorScreen.explanation")}</p>
        <div className="plain-actions">
          <button type="button" className="plain-button" onClick={tryAgain}>
            {t("errorScreen.tryAgain")}
          </button>
          <button type="button" className="plain-button quiet" onClick={() => location.reload()}>
            {t("errorScreen.refresh")}
          </button>
        </div>
      </section>
    </Container>
  );
}
