// A button with a menu.
import {
  type ComponentType,
  type ReactElement,
  type ReactNode,
  type RefObject,
  Suspense,
  useRef,
} from "react";
import { MenuList } from "./load";
import type { MenuListProps } from "./MenuList";
import { type DropdownProps, useDropdown } from "./useDropdown";

type ButtonProps = ReturnType<typeof useDropdown>["buttonProps"] & { onClick: () => void };

interface MenuButtonProps extends Omit<MenuListProps, keyof DropdownProps | "onShown"> {
  button: (props: ButtonProps) => ReactElement;
  /** Where who renders the menu needs the button, too. */
  buttonRef?: RefObject<HTMLButtonElement | null>;
  onOpen?: () => void;
  /** The list was on the screen, and goes. */
  onClose?: () => void;
  /** The list that is downloaded. */
  List?: ComponentType<MenuListProps>;
}

export function MenuButton(props: MenuButtonProps): ReactNode {
  const { button, buttonRef, onOpen, onClose, List = MenuList, ...list } = props;
  const { isOpen, open, close, openings, buttonProps, dropdownProps } = useDropdown("menu", buttonRef);
  const wasShown = useRef(false);
  const closeMenu = () => {
    close();
    if (wasShown.current) onClose?.();
    wasShown.current = false;
  };
  const toggle = () => {
    if (isOpen) return closeMenu();
    open();
    onOpen?.();
  };
  return (
    <>
      {button({ ...buttonProps, onClick: toggle })}
      {openings > 0 && (
        <Suspense fallback={null}>
          <List
            key={openings}
            {...list}
            {...dropdownProps}
            onClose={closeMenu}
            onShown={() => {
              wasShown.current = true;
            }}
          />
        </Suspense>
      )}
    </>
  );
}
