// Pictures that lists and the panel's shell do not show: what does loads them with itself.
import { icon } from "./icons";

export const BellIcon = icon(<path d="M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4" />);
export const StarIcon = icon(<path d="m12 4 2.5 5.2 5.5.8-4 4 1 5.6-5-2.7-5 2.7 1-5.6-4-4 5.5-.8z" />);
export const SaveIcon = icon(<path d="M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6" />);
export const GripIcon = icon(<path d="M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01" />);
export const EnlargeIcon = icon(<path d="M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7" />);
export const ShrinkIcon = icon(<path d="M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6" />);
export const PlayIcon = icon(<path d="M8 5v14l11-7z" />);
export const MinimizeIcon = icon(<path d="M4 5h16v14H4zM12 12h5v4h-5z" />);
export const OpenIcon = icon(<path d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />);
export const DownloadIcon = icon(<path d="M12 4v11M7 10l5 5 5-5M5 20h14" />);
export const UploadIcon = icon(<path d="M12 15V4M7 9l5-5 5 5M5 20h14" />);
export const UndoIcon = icon(<path d="M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3" />);
