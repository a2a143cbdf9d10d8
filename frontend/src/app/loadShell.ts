// The panel's shell and its texts are a separate download.
import { loadPanelTexts } from "../i18n";
import { lazyPart } from "../loading/lazyPart";

export const Shell = lazyPart(async () => {
  const [shell] = await Promise.all([
    import("./layout/Shell"),
    loadPanelTexts(),
    // What says that a page failed comes with the shell, not when it is needed.
    import("./layout/PageFailure"),
  ]);
  return shell;
});
