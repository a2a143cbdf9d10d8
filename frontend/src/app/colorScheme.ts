// Sets light or dark before the component library is loaded, with its storage key and attribute, so that the
// sign-in screen and the panel have the same scheme.
import { local } from "../storage";

const colorSchemeKey = "mantine-color-scheme-value";

export function followColorScheme(): void {
  const kept = local.get(colorSchemeKey);
  const isDark =
    kept === "dark" || (kept !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
}
