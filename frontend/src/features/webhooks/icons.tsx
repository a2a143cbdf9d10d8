// The small pictures that only webhooks need.
import { icon } from "../../ui/icons";

export const WaitIcon = icon(<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2" />);
export const SendIcon = icon(<path d="M4 12 20 4l-6 16-3-7zM11 13l9-9" />);
export const LogIcon = icon(<path d="M5 6h14M5 12h14M5 18h9" />);
export const RepeatIcon = icon(
  <path d="M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5" />,
);
