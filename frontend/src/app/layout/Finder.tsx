// Ctrl+K: waits for the keys or the button and only then fetches the finder itself.
import { useHotkeys } from "@mantine/hooks";
import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../../loading/lazyPart";
import { onFinder, openFinder } from "./finderStore";

const FinderDialog = lazyPart(() => import("./FinderDialog"), { isDialog: true });

export function Finder() {
  const [isOpen, setOpen] = useState(false);
  const [wasAsked, setAsked] = useState(false);
  useHotkeys([["mod+K", openFinder]], []);
  useEffect(
    () =>
      onFinder(() => {
        setAsked(true);
        setOpen(true);
      }),
    [],
  );
  return wasAsked ? (
    <Suspense fallback={null}>
      <FinderDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
