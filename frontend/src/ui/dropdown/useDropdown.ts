// A button and what opens beside it: a menu, or a panel with fields. What opens is downloaded once the page is idle
// (`dropdownParts`), or when the button is pressed; it opens as soon as it is there.
import { type RefObject, useId, useRef, useState } from "react";

/** What `MenuList` and `PopoverPanel` need to know of their button. */
export interface DropdownProps {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onClose: () => void;
}

export function useDropdown(kind: "menu" | "dialog", ownButton?: RefObject<HTMLButtonElement | null>) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [openings, setOpenings] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  const ref = ownButton ?? button;
  const open = () => {
    setOpenings(openings + 1);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return {
    isOpen,
    open,
    close,
    /** How often it was opened: until then nothing of it is rendered, and each time it is rendered anew. */
    openings,
    buttonProps: {
      ref,
      id,
      "aria-haspopup": kind,
      "aria-expanded": isOpen,
      // The id that the component library gives to what opens.
      "aria-controls": isOpen ? `${id}-dropdown` : undefined,
    },
    dropdownProps: { id, button: ref, isOpen, onClose: close } satisfies DropdownProps,
  } as const;
}
