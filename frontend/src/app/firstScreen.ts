// The sign-in that the build rendered (firstScreenMarkup.tsx), in the document while the program is being downloaded.
import { hasStoredUser } from "../access/storedUser";
import { chosenLanguage } from "../i18n/language";
import { signInPath } from "../routing/signInPath";
import { followColorScheme } from "./colorScheme";

/**
 * Shows it in the language and colour scheme of this browser, at its own address only: elsewhere the session decides what is
 * shown, and a user who was signed in here before probably still is. Their panel is downloaded beside the program.
 */
export function showFirstScreen(): void {
  followColorScheme();
  const language = chosenLanguage();
  if (hasStoredUser()) downloadPanel(language);
  else if (location.pathname === signInPath) {
    const screen = templateOf(`first-screen-${language}`);
    if (!screen) return;
    document.documentElement.lang = language;
    document.getElementById("root")?.append(screen.cloneNode(true));
  }
}

/** Starts the downloads for this address that loadAhead.ts imports once the program is there (scripts/panelLinks.ts). */
function downloadPanel(language: string): void {
  const links = [...(templateOf("panel-files")?.querySelectorAll("link") ?? [])];
  const isFor = ({ dataset }: HTMLLinkElement, path: string) => dataset.paths?.split(" ").includes(path);
  const path = links.some((link) => isFor(link, location.pathname)) ? location.pathname : "*";
  const needed = links.filter(
    (link) => (link.dataset.language ?? language) === language && (isFor(link, path) ?? true),
  );
  document.head.append(...needed);
}

function templateOf(id: string): DocumentFragment | undefined {
  const found = document.getElementById(id);
  return found instanceof HTMLTemplateElement ? found.content : undefined;
}
