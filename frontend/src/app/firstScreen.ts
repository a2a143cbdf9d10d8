// The sign-in that the build rendered (firstScreenMarkup.tsx), in the document while the program is being downloaded.
import { hasStoredUser } from "../access/storedUser";
import { chosenLanguage } from "../i18n/language";
import { signInPath } from "../routing/signInPath";
import { followColorScheme } from "./colorScheme";

/**
 * Shows it in the language and colour scheme of this browser, at its own address only: elsewhere the session decides what is
 * shown, and a user who was signed in here before probably still is.
 */
export function showFirstScreen(): void {
  followColorScheme();
  const language = chosenLanguage();
  const screen = document.getElementById(`first-screen-${language}`);
  if (!(screen instanceof HTMLTemplateElement) || location.pathname !== signInPath || hasStoredUser()) return;
  document.documentElement.lang = language;
  document.getElementById("root")?.append(screen.content.cloneNode(true));
}
