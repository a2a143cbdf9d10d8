// The command palette, Ctrl+K. Its dialog is fetched at the first use.
import { Suspense, useEffect, useState } from "react";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { keepTyped, onCommandPalette } from "./commandPalette";

const CommandPaletteDialog = lazyPart(
  async () => (await Promise.all([import("./palette/CommandPaletteDialog"), loadTexts("palette")]))[0],
  { isDialog: true },
);

export function CommandPalette() {
  /** Undefined until it is opened for the first time. */
  const [isOpen, setOpen] = useState<boolean>();
  useEffect(() => onCommandPalette(() => setOpen(true)), []);
  useEffect(() => (isOpen ? keepTyped(() => setOpen(false)) : undefined), [isOpen]);
  return isOpen === undefined ? null : (
    <Suspense fallback={null}>
      <CommandPaletteDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
