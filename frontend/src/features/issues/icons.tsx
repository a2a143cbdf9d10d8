// The small pictures that only reports need.
import { icon } from "../../ui/icons";

export const BeginIcon = icon(<path d="M5 12a7 7 0 1 0 7-7M12 8v4l3 2" />);
export const RejectIcon = icon(
  <>
    <circle cx="12" cy="12" r="8" />
    <path d="m6.500 6.500 11 11" />
  </>,
);
export const ArchiveIcon = icon(<path d="M4 4h16v5H4zM6 9v11h12V9M10 13h4" />);
export const AssignIcon = icon(
  <>
    <circle cx="9" cy="8" r="4" />
    <path d="M2 20c1-4 4-6 7-6s6 2 7 6M19 7v6M16 10h6" />
  </>,
);
export const FlagIcon = icon(<path d="M5 21V4h13l-3 4.500 3 4.500H5" />);
export const NoteIcon = icon(<path d="M5 4h14v11l-5 5H5zM14 20v-5h5M9 9h6M9 13h3" />);
export const ListIcon = icon(<path d="M9 6h11M9 12h11M9 18h11M4 6v.01M4 12v.01M4 18v.01" />);
