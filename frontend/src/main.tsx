// Mounts the panel once its texts are there: over the sign-in that the document has, where it shows that.
import { createRoot, hydrateRoot } from "react-dom/client";
import { hasStoredUser } from "./access/storedUser";
import { followColorScheme } from "./app/colorScheme";
import { loadAhead } from "./app/loadAhead";
import { Root } from "./app/Root";
import { startLanguages } from "./i18n";
import { watchRelease } from "./loading/release";

followColorScheme();
watchRelease();
const texts = startLanguages();
if (hasStoredUser()) loadAhead(location);
await texts;

const root = document.getElementById("root");
if (root?.hasChildNodes()) hydrateRoot(root, <Root />);
else if (root) createRoot(root).render(<Root />);
