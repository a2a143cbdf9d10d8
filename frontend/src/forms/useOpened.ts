// What a dialog edits: an item as it was when the dialog was opened. A list that is read again meanwhile may have a version
// that nobody saw here; saving over that one would overwrite it without a word.
import { useState } from "react";

export function useOpened<T extends { version: number }>(latest: T) {
  const [opened, setOpened] = useState(latest);
  const [isOutdated, setOutdated] = useState(false);
  if (isOutdated && latest.version > opened.version) {
    setOpened(latest);
    setOutdated(false);
  }
  return {
    opened,
    /** The server has a newer version, which was said: from here on it is what is edited, as soon as it was read. */
    takeLatest: () => setOutdated(true),
  };
}
