// A button of a list's tools. What it opens is downloaded when it is pressed for the first time.
import { ActionIcon, Popover } from "@mantine/core";
import { type ReactNode, Suspense, useState } from "react";

interface ToolPopoverProps {
  label: string;
  icon: ReactNode;
  load: () => Promise<unknown>;
  children: (close: () => void) => ReactNode;
}

export function ToolPopover({ label, icon, load, children }: ToolPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const toggle = async () => {
    // The focus goes to the first field: it is there when the list opens. Where it does not load, its place says so.
    if (!isOpen) await load().catch(() => {});
    setOpen(!isOpen);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={label}
          title={label}
          onClick={() => void toggle()}
        >
          {icon}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Suspense fallback={null}>{children(() => setOpen(false))}</Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
