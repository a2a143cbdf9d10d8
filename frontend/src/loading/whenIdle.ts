/** Runs once the page has nothing else to do. Answers how to call it off. */
export function whenIdle(run: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(run, 1500);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: 4000 });
  return () => cancelIdleCallback(handle);
}
