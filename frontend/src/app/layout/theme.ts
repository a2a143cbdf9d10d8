// The look of the component library: the colours of base.css, contrast that passes AA in both schemes.
import { type CSSVariablesResolver, createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  fontFamily: "var(--font)",
  headings: { fontFamily: "var(--font)", fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  colors: {
    dark: [
      "#e6e8ec",
      "#c3c8d1",
      "#a3abb9",
      "#7b8494",
      "#3f4652",
      "#30353e",
      "#262a32",
      "#1c1f25",
      "#14161a",
      "#0f1114",
    ],
  },
});

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-gray-light": "#e8ebf0",
    "--mantine-color-body": "var(--surface)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--ink-quiet)",
    "--mantine-color-placeholder": "#6b7382",
    "--mantine-color-error": "var(--danger)",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#a51111",
    "--mantine-color-red-light-color": "#b31b1b",
    "--mantine-color-anchor": "var(--accent-strong)",
  },
  dark: {
    "--mantine-color-gray-light": "#2d333d",
    "--mantine-color-body": "var(--surface)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--ink-quiet)",
    "--mantine-color-placeholder": "#8f97a6",
    "--mantine-color-error": "var(--danger)",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#a51111",
    "--mantine-color-anchor": "var(--accent-strong)",
  },
});
