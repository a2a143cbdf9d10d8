// A pulse: for checking whether a link plays.
import { icon } from "../../ui/icons";

export const ProbeIcon = icon("ProbeIcon", <path d="M3 12h4l3 8l4 -16l3 8h4" />);
