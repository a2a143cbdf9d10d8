// The sign-in that the build rendered (firstScreenMarkup.tsx), in the document while the program is being downloaded.
import { hasStoredUser } from "../access/storedUser";
import { sendAhead } from "../api/ahead";
import { chosenLanguage } from "../i18n/language";
import { keepPress } from "../loading/earlyPress";
import { signInPath } from "../routing/signInPath";
import { keptPageSize } from "../ui/list/preferences";
import { followColorScheme } from "./colorScheme";

/**
 * Shows it in the language and colour scheme of this browser, at its own address only: elsewhere the session decides what is
 * shown, and a user who was signed in here before probably still is. Their panel is downloaded beside the program.
 */
export function showFirstScreen(): void {
  followColorScheme();
  const language = chosenLanguage();
  addEventListener("error", reportFailure, { capture: true });
  if (hasStoredUser()) downloadPanel(language);
  else {
    downloadFont();
    if (location.pathname === signInPath) showSignIn(language);
  }
}

function showSignIn(language: string): void {
  document.documentElement.lang = language;
  const root = document.querySelector("#root");
  root?.append(templateOf(`first-screen-${language}`)?.cloneNode(true) ?? "");
  const screen = root?.querySelector("main");
  if (screen) keepPress(screen);
}

/** Where the program can't be loaded, shows that instead of a blank page, or of a sign-in that stays busy. */
function reportFailure({ target }: Event): void {
  if (!(target instanceof HTMLScriptElement)) return;
  const root = document.querySelector("#root");
  const place = (globalThis.takePress && root?.querySelector("[aria-live]")) ?? root;
  // Without a place, or with something in it, the program is there, and what failed is a part of it.
  if (!place || place.firstChild) return;
  if (place === root) place.className = "plain-screen";
  globalThis.takePress?.();
  root?.querySelector("[type=submit]")?.setAttribute("disabled", "");
  place.append(templateOf(`loading-failure-${chosenLanguage()}`)?.cloneNode(true) ?? "");
  place.querySelector("a")?.setAttribute("href", location.href);
}

/**
 * Starts the downloads for this address that loadAhead.ts imports once the program is there (scripts/panelLinks.ts), and
 * sends the calls that it begins with: for the session, and for the first rows of a list.
 */
function downloadPanel(language: string): void {
  const links = [...(templateOf("panel-files")?.querySelectorAll("link") ?? [])];
  const isFor = ({ dataset }: HTMLLinkElement, path: string) => dataset.paths?.split(" ").includes(path);
  const path = links.some((link) => isFor(link, location.pathname)) ? location.pathname : "*";
  const needed = links.filter(
    (link) => (link.dataset.language ?? language) === language && (isFor(link, path) ?? true),
  );
  // Their answers are small, and connections few: they come first.
  sendAhead("post", "/auth/refresh", language);
  const files = needed.filter(({ dataset: { list = "", call, size } }) => {
    if (call && !location.search)
      sendAhead("get", call.replace("*", String(keptPageSize(list) ?? size)), language);
    return !call;
  });
  // The font is half as large as the program: it comes from the browser's cache, or after the panel.
  let waiting = files.length;
  for (const link of files)
    link.onload = link.onerror = () => {
      waiting -= 1;
      if (waiting === 0) downloadFont();
    };
  document.head.append(...files);
  // The browser reads the formats of a language when they are first used, which takes longer than anything else in a list:
  // now, while it waits for the files.
  new Intl.NumberFormat(language).format(0);
}

/** What has not arrived when text is first painted is not shown later (base.css). */
function downloadFont(): void {
  document.head.append(templateOf("font-file") ?? "");
}

function templateOf(id: string): DocumentFragment | undefined {
  return document.querySelector<HTMLTemplateElement>(`#${id}`)?.content;
}
