// What an uncaught failure leaves on the screen. Plain HTML: it must work when nothing else does.
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useRouteError } from "react-router";

interface ErrorScreenProps {
  /** Stands where a page would, inside the panel's shell. */
  isPage?: boolean;
  /** What has to be forgotten for another try to be one. */
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
