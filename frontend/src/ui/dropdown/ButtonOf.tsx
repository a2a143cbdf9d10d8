// Gives the component library a button that was rendered before the library was there.
import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from "react";
import { type DropdownProps, isStillWanted } from "./useDropdown";

interface ButtonOfProps {
  button: RefObject<HTMLButtonElement | null>;
  ref?: Ref<HTMLButtonElement>;
}

/** The target of a menu or a popover: renders nothing, and is the button that is there already. */
export function ButtonOf({ button, ref }: ButtonOfProps) {
  useImperativeHandle(ref, () => button.current as HTMLButtonElement, [button]);
  return null;
}

/**
 * What opens after it was mounted notes what had the focus, and gives it back. It stays closed for who has left the button while
 * it was downloaded.
 */
export function useOpenOnceMounted(dropdown: DropdownProps, onShown?: () => void): boolean {
  const [isMounted, setMounted] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is there
  useEffect(() => {
    if (!dropdown.isOpen) return;
    if (!isStillWanted(dropdown)) return dropdown.onClose();
    setMounted(true);
    onShown?.();
  }, []);
  return dropdown.isOpen && isMounted;
}
