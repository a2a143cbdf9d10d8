// Opens the command palette. Separate from the palette itself, which is fetched at the first use.

let open = (): void => {};
let typed: string | undefined;

export function openCommandPalette(): void {
  open();
}

export function onCommandPalette(listener: () => void): () => void {
  const byKey = (event: KeyboardEvent) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isShortcut || !/^k$/i.test(event.key)) return;
    event.preventDefault();
    listener();
  };
  open = listener;
  document.addEventListener("keydown", byKey);
  return () => document.removeEventListener("keydown", byKey);
}

/** Keeps what is typed until the search field of the palette has the focus, and takes it; Escape closes the palette. */
export function keepTyped(onEscape: () => void): () => void {
  const keep = (event: KeyboardEvent) => {
    const { key } = event;
    // Where the palette did not load, the field below the message is written in.
    if (typed === undefined || document.querySelector(".part-failure")) return;
    // AltGr is Ctrl and Alt.
    if (event.metaKey || event.ctrlKey !== event.altKey) return;
    if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key === "Enter") typed += "\n";
    else if (key === "Escape") onEscape();
    else if (key.length === 1) typed += key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  typed = "";
  document.addEventListener("keydown", keep, true);
  return () => document.removeEventListener("keydown", keep, true);
}

/** What was typed before the search field had the focus; Enter is a line feed. */
export function takeTyped(): string | undefined {
  const taken = typed;
  typed = undefined;
  return taken;
}
