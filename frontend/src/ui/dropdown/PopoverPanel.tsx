// A panel with fields, beside the button that opens it.
import { Popover } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { ButtonOf, useOpenOnceMounted } from "./ButtonOf";
import type { DropdownProps } from "./useDropdown";

interface PopoverPanelProps extends DropdownProps {
  label: string;
  children: ReactNode;
}

export default function PopoverPanel({ label, children, ...dropdown }: PopoverPanelProps) {
  const { id, button, onClose } = dropdown;
  return (
    <Popover
      id={id}
      opened={useOpenOnceMounted(dropdown)}
      onChange={(next) => !next && onClose()}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <ButtonOf button={button} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Suspense fallback={null}>{children}</Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
