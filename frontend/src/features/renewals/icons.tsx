// The icons that only renewals need.
import { icon } from "../../ui/icons";

export const RenewIcon = icon(
  <path d="M20 11a8 8 0 0 0-14-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4l2-2M20 20v-5h-5" />,
);
export const HistoryIcon = icon(<path d="M4 4v5h5M4.600 9A8 8 0 1 1 4 13M12 8v4l3 2" />);
export const ArrowIcon = icon(<path d="M5 12h14M13 6l6 6-6 6" />);
export const MessageIcon = icon(<path d="M4 5h16v11H9l-5 4zM8 9h8M8 12h5" />);
export const ContactedIcon = icon(<path d="M4 5h16v11H9l-5 4zM8.500 10.500l2.500 2.500 4.500-4.500" />);
export const ShowAgainIcon = icon(
  <>
    <path d="M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12z" />
    <circle cx="12" cy="12" r="3" />
  </>,
);
