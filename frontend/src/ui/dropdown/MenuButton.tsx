// A button with a menu.
import { type ReactElement, type ReactNode, type RefObject, Suspense } from "react";
import { lazyPart } from "../../loading/lazyPart";
import { loadMenuList } from "./load";
import type { MenuListProps } from "./MenuList";
import { type DropdownProps, useDropdown } from "./useDropdown";

const MenuList = lazyPart(loadMenuList, { isDialog: true });

type ButtonProps = ReturnType<typeof useDropdown>["buttonProps"] & { onClick: () => void };

interface MenuButtonProps extends Omit<MenuListProps, keyof DropdownProps> {
  button: (props: ButtonProps) => ReactElement;
  /** Where who renders the menu needs the button, too. */
  buttonRef?: RefObject<HTMLButtonElement | null>;
  onOpen?: () => void;
  onClose?: () => void;
}

export function MenuButton({ button, buttonRef, onOpen, onClose, ...list }: MenuButtonProps): ReactNode {
  const { isOpen, open, close, openings, buttonProps, dropdownProps } = useDropdown("menu", buttonRef);
  const closeMenu = () => {
    close();
    onClose?.();
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
          <MenuList key={openings} {...list} {...dropdownProps} onClose={closeMenu} />
        </Suspense>
      )}
    </>
  );
}
