// Gives the component library a button that was rendered before the library was there.
import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from "react";

interface ButtonOfProps {
  button: RefObject<HTMLButtonElement | null>;
  ref?: Ref<HTMLButtonElement>;
}

/** The target of a menu or a popover: renders nothing, and is the button that is there already. */
export function ButtonOf({ button, ref }: ButtonOfProps) {
  useImperativeHandle(ref, () => button.current as HTMLButtonElement, [button]);
  return null;
}

/** What opens after it was mounted notes what had the focus, and gives it back. */
export function useOpenOnceMounted(isOpen: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isOpen && isMounted;
}
