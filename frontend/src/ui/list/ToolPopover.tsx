// A button of a list's tools. What it opens is downloaded when it is pressed for the first time.
import { ActionIcon } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { PopoverPanel } from "../dropdown/load";
import { isStillWanted, useDropdown } from "../dropdown/useDropdown";

interface ToolPopoverProps {
  label: string;
  icon: ReactNode;
  load: () => Promise<unknown>;
  children: (close: () => void) => ReactNode;
}

export function ToolPopover({ label, icon, load, children }: ToolPopoverProps) {
  const { isOpen, press, open, close, openings, buttonProps, dropdownProps } = useDropdown("dialog");
  const toggle = async () => {
    if (isOpen) return close();
    press();
    // The focus goes to the first field: it is there when the list opens. Where it does not load, its place says so.
    await Promise.all([PopoverPanel.preload(), load()]).catch(() => {});
    if (isStillWanted(dropdownProps)) open();
  };
  return (
    <>
      <ActionIcon
        {...buttonProps}
        variant="default"
        size={36}
        aria-label={label}
        title={label}
        onClick={() => void toggle()}
      >
        {icon}
      </ActionIcon>
      {openings > 0 && (
        <Suspense fallback={null}>
          <PopoverPanel key={openings} {...dropdownProps} label={label}>
            {children(close)}
          </PopoverPanel>
        </Suspense>
      )}
    </>
  );
}
