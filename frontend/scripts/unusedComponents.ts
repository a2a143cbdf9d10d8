// A plugin for Vite that keeps out of the build what the panel never uses of its libraries. React Router is published with
// its warnings for developers, and without the marks by which a bundler sees that creating a component does nothing else:
// its forms and navigation links would be downloaded with every first page.
import type { Plugin } from "vite";

const warnings = "var ENABLE_DEV_WARNINGS = true;";

export function unusedComponents(): Plugin {
  let hasRouter = false;
  return {
    name: "unused-components",
    apply: "build",
    transform: {
      filter: { id: /\/node_modules\/react-router\// },
      handler(code) {
        hasRouter ||= code.includes(warnings);
        const shorter = code
          .replace(warnings, warnings.replace("true", "false"))
          // Names of components are for React's developer tools.
          .replace(/^\w+\.displayName = "[^"]*";$/gm, "")
          .replace(/^(var \w+ = )(React\d*\.(?:forwardRef|createContext|memo)\()/gm, "$1/* @__PURE__ */ $2");
        return shorter === code ? null : { code: shorter, map: null };
      },
    },
    buildEnd(error) {
      if (!error && !hasRouter)
        this.error("React Router is published in another form: see scripts/unusedComponents.ts");
    },
  };
}
