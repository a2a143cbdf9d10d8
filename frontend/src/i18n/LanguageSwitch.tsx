// Both languages by their own names, the chosen one pressed. Plain HTML: the sign-in screen has it too.
import { useTranslation } from "react-i18next";
import { chooseLanguage, currentLanguage, languages } from ".";

export function LanguageSwitch() {
  const { t } = useTranslation();
  return (
    <fieldset className="language-switch">
      <legend className="visually-hidden">{t("language.label")}</legend>
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          // The document's is busy after a press.
          suppressHydrationWarning
          aria-pressed={currentLanguage() === language}
          aria-label={t(`language.${language}`)}
          onClick={() => void chooseLanguage(language)}
        >
          {language.toUpperCase()}
        </button>
      ))}
    </fieldset>
  );
}
