// A dialog closes after saving, unless it was edited during the request.
import { useRef } from "react";

/**
 * What to do once the values, as they are when it is called, were saved. The values are another object after each change. A dialog
 * that stays is about what was saved from then on.
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
