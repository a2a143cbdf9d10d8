// A button and what opens beside it: a menu, or a panel with fields. What opens is downloaded once the page is idle
// (`loadDropdowns`), or when the button is pressed; it opens as soon as it is there.
import { type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";

/** The props that `MenuList` and `PopoverPanel` get from their button. */
export interface DropdownProps {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onClose: () => void;
}

/** The last press of such a button: what it opens, and what had the focus. */
let lastPress: { id: string; focused: Element | null } | undefined;

/** Whether who pressed the button has neither gone to another place since nor pressed another one. */
export function isStillWanted({ id, button }: Pick<DropdownProps, "id" | "button">): boolean {
  const focused = document.activeElement;
  // Safari gives the focus of a press to what the button stands in.
  return lastPress?.id === id && (focused === lastPress.focused || !!focused?.contains(button.current));
}

export function useDropdown(kind: "menu" | "dialog", ownButton?: RefObject<HTMLButtonElement | null>) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [openings, setOpenings] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  const ref = ownButton ?? button;
  /** Before what opens is downloaded. */
  const press = () => {
    lastPress = { id, focused: document.activeElement };
  };
  const open = () => {
    press();
    setOpenings(openings + 1);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return {
    isOpen,
    press,
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
      // What opened has the focus, and closes itself: this is for what is still being downloaded. A dialog around it stays.
      "data-mantine-stop-propagation": isOpen,
      onKeyDown: ({ key }: KeyboardEvent) => {
        if (key === "Escape" && isOpen) close();
      },
    },
    dropdownProps: { id, button: ref, isOpen, onClose: close } satisfies DropdownProps,
  } as const;
}
