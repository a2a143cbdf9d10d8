// The picture of a history.
import { icon } from "../ui/icons";

export const HistoryIcon = icon(
  <>
    <path d="M3.5 12a8.5 8.5 0 1 0 2.5-6M3.5 4v4h4" />
    <path d="M12 7.5V12l3 2" />
  </>,
);
