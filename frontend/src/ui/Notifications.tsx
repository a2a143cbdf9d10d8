// The place of the screen where toasts are.
import { Notifications as Corner, notifications } from "@mantine/notifications";
import "@mantine/core/styles/Notification.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./toasts.css";

export { notifications };

export default function Notifications() {
  return <Corner position="top-center" className="toasts" limit={4} zIndex={400} />;
}
