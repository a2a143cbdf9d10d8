// What the panel shows before its session is known, as HTML. Called by the build (scripts/firstScreen.ts), which puts it into
// the document.
import { renderToString } from "react-dom/server";
import { chooseLanguage, startLanguages } from "../i18n";
import type { Language } from "../i18n/language";
import { Root } from "./Root";

export async function firstScreenMarkup(language: Language): Promise<string> {
  await startLanguages();
  await chooseLanguage(language);
  return renderToString(<Root />);
}
