// The panel's icons: 24 × 24, outlines in the colour of the text. Always decorative:
// the label of a button describes its action. Those that only one part of the panel needs are drawn there, with `icon`.
import type { ReactNode, SVGProps } from "react";

export function icon(drawing: ReactNode) {
  return function Icon({ size = 18, ...rest }: SVGProps<SVGSVGElement> & { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        {...rest}
      >
        {drawing}
      </svg>
    );
  };
}

export const AddIcon = icon(<path d="M12 5v14M5 12h14" />);
export const MenuIcon = icon(<path d="M4 6h16M4 12h16M4 18h16" />);
export const EditIcon = icon(<path d="M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4" />);
export const DeleteIcon = icon(<path d="M4 7h16M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3" />);
export const ViewIcon = icon(
  <>
    <path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7z" />
    <circle cx="12" cy="12" r="3" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="7" />
    <path d="m20 20-4-4" />
  </>,
);
export const CloseIcon = icon(<path d="M6 6l12 12M18 6 6 18" />);
export const CheckIcon = icon(<path d="m5 12 5 5L20 7" />);
export const ColumnsIcon = icon(<path d="M4 4h16v16H4zM9.5 4v16M14.5 4v16" />);
export const ViewsIcon = icon(<path d="M6 4h12v16l-6-4.5L6 20z" />);
export const DensityIcon = icon(<path d="M4 6h16M4 10h16M4 14h16M4 18h16" />);
export const MoreIcon = icon(<path strokeWidth="3" d="M12 5.5v.01M12 12v.01M12 18.5v.01" />);
export const BackIcon = icon(<path d="M19 12H5M11 6l-6 6 6 6" />);
export const FirstIcon = icon(<path d="m17 7-5 5 5 5M11 7l-5 5 5 5" />);
export const PreviousIcon = icon(<path d="m14 7-5 5 5 5" />);
export const NextIcon = icon(<path d="m10 7 5 5-5 5" />);
export const LastIcon = icon(<path d="m7 7 5 5-5 5M13 7l5 5-5 5" />);
export const DownIcon = icon(<path d="m6 9 6 6 6-6" />);
export const AscendingIcon = icon(<path d="M12 19V5M6 11l6-6 6 6" />);
export const DescendingIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />);
export const SortableIcon = icon(<path d="m8 10 4-4 4 4M8 14l4 4 4-4" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.7.7M17.7 17.7l.7.7M18.4 5.6l-.7.7M6.3 17.7l-.7.7" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z" />);
export const UserIcon = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4 20c1-4 4.500-6 8-6s7 2 8 6" />
  </>,
);
export const SignOutIcon = icon(<path d="M14 4H5v16h9M10 12h11M17 8l4 4-4 4" />);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="m11 12 9-9M16 7l3 3" />
  </>,
);
export const DevicesIcon = icon(<path d="M3 18V5h16v3M2 18h10M14 11h7v9h-7zM17 17h1" />);
export const ImageIcon = icon(
  <>
    <path d="M4 5h16v14H4z" />
    <path d="m4 16 5-5 5 5 2-2 4 4" />
    <circle cx="15" cy="9.500" r="1" />
  </>,
);
export const BrokenImageIcon = icon(<path d="M9 4H4v16h5l2-4-3-3 3-4zM13 4h7v16h-6l2-5-3-3 3-4z" />);
export const AlertIcon = icon(<path d="M12 3 2 20h20zM12 10v4M12 17v.01" />);
