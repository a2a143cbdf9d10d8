// What the first page does not show is downloaded once the page was rendered, with its rows where they have arrived: before,
// it would share the line and the processor with them.
let show: () => void;
const isShown = new Promise<void>((resolve) => {
  show = resolve;
});

/** Called by the panel's shell. */
export function firstPageIsShown(): void {
  show();
}

export function afterFirstPage<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  return async () => {
    await isShown;
    return load();
  };
}
