// The place of the screen where toasts are, and the dialog that the action of one opens: whatever page is shown by then.
import { Notifications as Corner, notifications } from "@mantine/notifications";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import "@mantine/core/styles/Notification.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./toasts.css";

export { notifications };

type Opened = (close: () => void) => ReactNode;

let open: (dialog: Opened) => void = () => {};

/** Opens a dialog from the action of a toast; a second one takes its place. */
export function openFromToast(dialog: Opened): void {
  open(dialog);
}

export default function Notifications() {
  const [dialog, setDialog] = useState<Opened>();
  useEffect(() => {
    open = (next) => setDialog(() => next);
  }, []);
  return (
    <>
      <Corner position="top-center" className="toasts" limit={4} zIndex={400} />
      {dialog && <Suspense fallback={null}>{dialog(() => setDialog(undefined))}</Suspense>}
    </>
  );
}
