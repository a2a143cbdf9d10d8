// Mounts the panel once its texts are there.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { hasStoredUser } from "./access/session";
import { App } from "./app/App";
import "./app/base.css";
import { followColorScheme } from "./app/colorScheme";
import { loadAhead } from "./app/loadAhead";
import { startLanguages } from "./i18n";
import { watchRelease } from "./loading/release";

followColorScheme();
watchRelease();
const texts = startLanguages();
if (hasStoredUser()) loadAhead(location);
await texts;

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
