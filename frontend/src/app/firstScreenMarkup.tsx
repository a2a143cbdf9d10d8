// What the panel shows before its session is known, and where it can't be loaded, as HTML. Called by the build
// (scripts/firstScreen.ts), which puts it into the document.
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import { chooseLanguage, startLanguages, t } from "../i18n";
import type { Language } from "../i18n/language";
import { Root } from "./Root";

export async function firstScreenMarkup(language: Language): Promise<{ screen: string; failure: string }> {
  await startLanguages();
  await chooseLanguage(language);
  const failure = (
    <div className="plain-alert">
      <span>{t("errors.network")}</span>
      <a href="/">{t("errorScreen.refresh")}</a>
    </div>
  );
  return { screen: renderToString(<Root />), failure: renderToStaticMarkup(failure) };
}
