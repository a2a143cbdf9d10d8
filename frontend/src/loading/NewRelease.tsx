// Reports a new version, and reloads without losing drafts. Plain HTML: its own download could fail.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsNewRelease } from "./release";
import { reloadKeepingDrafts } from "./reload";

export function NewRelease() {
  const { t } = useTranslation();
  const isNewer = useIsNewRelease();
  const [isClosed, setClosed] = useState(false);
  return (
    <div role="status">
      {isNewer && !isClosed && (
        <div className="new-release">
          <p>{t("loading.newRelease")}</p>
          <div className="plain-actions">
            <button type="button" className="plain-button" onClick={reloadKeepingDrafts}>
              {t("loading.reload")}
            </button>
            <button type="button" className="plain-button quiet" onClick={() => setClosed(true)}>
              {t("loading.later")}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
