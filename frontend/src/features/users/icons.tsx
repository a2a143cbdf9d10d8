// The small pictures that only users need.
import { icon } from "../../ui/icons";

export const CreditsIcon = icon(
  <path d="M4 8v10a2 2 0 0 0 2 2h14V9H6a2 2 0 0 1-2-2 2 2 0 0 1 2-2h11v4M16 14.500v.01" />,
);
export const HistoryIcon = icon(
  <path d="M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 2" />,
);
export const SuspendedIcon = icon(<path d="M9 6v12M15 6v12" />);
export const LimitIcon = icon(<path d="M5 12h14" />);
export const ArrowIcon = icon(<path d="M5 12h14M13 6l6 6-6 6" />);
export const PasswordIcon = icon(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="m11 12 9-9M16 7l3 3M14 9l2 2" />
  </>,
);
