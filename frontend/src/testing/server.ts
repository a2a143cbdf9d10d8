// The stand-in for the server in tests: whatever nobody told it about is an error.
import { setupServer } from "msw/node";
import { handlers } from "./backend";
import { seriesHandlers } from "./series";

export const server = setupServer(...handlers, ...seriesHandlers);
