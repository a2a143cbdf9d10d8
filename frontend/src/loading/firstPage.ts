// What the first page does not show is downloaded once the page was rendered, with its rows where they have arrived: before,
// it would share the line and the processor with them.
/** Called by the panel's shell. */
export let firstPageIsShown: () => void;
const isShown = new Promise<void>((resolve) => {
  firstPageIsShown = resolve;
});

export function afterFirstPage<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  return () => isShown.then(load);
}
