// The command palette, Ctrl+K. Its dialog is fetched at the first use.
import { useHotkeys } from "@mantine/hooks";
import { Suspense, useEffect, useState } from "react";
import { loadPageTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { onCommandPalette, openCommandPalette } from "./commandPalette";

const CommandPaletteDialog = lazyPart(
  async () => (await Promise.all([import("./palette/CommandPaletteDialog"), loadPageTexts("palette")]))[0],
  { isDialog: true },
);

export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  useHotkeys([["mod+K", openCommandPalette]], []);
  useEffect(
    () =>
      onCommandPalette(() => {
        setWasOpened(true);
        setOpen(true);
      }),
    [],
  );
  return wasOpened ? (
    <Suspense fallback={null}>
      <CommandPaletteDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
