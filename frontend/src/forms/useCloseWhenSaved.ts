// A dialog closes after saving, unless it was edited during the request.
import { useRef } from "react";

/**
 * Called before a save; returns what to do after it: close the dialog where the values are still the same object, or
 * keep it open with the saved version as its base.
 */
export function useCloseWhenSaved(values: object, close: () => void, stay: () => void): () => () => void {
  const latest = useRef(values);
  latest.current = values;
  return () => {
    const sent = latest.current;
    return () => {
      if (latest.current === sent) close();
      else stay();
    };
  };
}
