// Passes a button that was rendered before the component library was loaded to the library.
import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from "react";
import { type DropdownProps, isStillWanted } from "./useDropdown";

interface ButtonOfProps {
  button: RefObject<HTMLButtonElement | null>;
  ref?: Ref<HTMLButtonElement>;
}

/** The target of a menu or a popover: renders nothing and refers to the existing button. */
export function ButtonOf({ button, ref }: ButtonOfProps) {
  useImperativeHandle(ref, () => button.current as HTMLButtonElement, [button]);
  return null;
}

/**
 * Opens a dropdown only after it was mounted, so that it can restore the focus. It stays closed where the user left the button
 * during the download.
 */
export function useOpenOnceMounted(dropdown: DropdownProps, onShown?: () => void): boolean {
  const [isMounted, setMounted] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when it is mounted
  useEffect(() => {
    if (!dropdown.isOpen) return;
    if (!isStillWanted(dropdown)) return dropdown.onClose();
    setMounted(true);
    onShown?.();
  }, []);
  return dropdown.isOpen && isMounted;
}
