// A pulse, for checking whether a link plays; a switch, for leaving an item off.
import { icon } from "../../ui/icons";

export const ProbeIcon = icon(<path d="M3 12h4l3 8l4 -16l3 8h4" />);

export const OffIcon = icon(<path d="M12 3v8M7 6.500a8 8 0 1 0 10 0" />);
