// The corner of the screen where toasts are.
import { Notifications as Corner } from "@mantine/notifications";
import "@mantine/core/styles/Notification.layer.css";
import "@mantine/notifications/styles.layer.css";

export default function Notifications() {
  return <Corner position="bottom-right" limit={4} zIndex={400} />;
}
