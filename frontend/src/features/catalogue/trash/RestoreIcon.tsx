// The picture of what is restored.
import { icon } from "../../../ui/icons";

export const RestoreIcon = icon(<path d="M4 9h10a6 6 0 0 1 0 12h-3M4 9l4-4M4 9l4 4" />);
