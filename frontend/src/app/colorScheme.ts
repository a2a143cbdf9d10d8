// Light or dark before the component library is there: the same storage key and the same attribute as it uses,
// so that the sign-in screen and the panel never disagree.
import { local } from "../storage";

const colorSchemeKey = "mantine-color-scheme-value";

export function followColorScheme(): void {
  const kept = local.get(colorSchemeKey);
  const isDark =
    kept === "dark" || (kept !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
}
