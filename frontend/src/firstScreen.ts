// A classic script in the document (scripts/firstScreen.ts): it runs before the first paint, long before main.tsx.
import { showFirstScreen } from "./app/firstScreen";

showFirstScreen();
