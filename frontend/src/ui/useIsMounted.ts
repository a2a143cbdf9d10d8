// Whether a component is still on the screen when what it began has its answer.
import { type RefObject, useEffect, useRef } from "react";

export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(true);
  useEffect(() => {
    // In development effects run twice.
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
