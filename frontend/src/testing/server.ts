// The stand-in for the server in tests: whatever nobody told it about is an error.
import { setupServer } from "msw/node";
import { handlers, recorder } from "./backend";
import { creditHandlers } from "./credits";
import { dashboardHandlers } from "./dashboards";
import { issueHandlers } from "./issues";
import { seriesHandlers } from "./series";
import { userHandlers } from "./users";

export const server = setupServer(
  recorder,
  ...userHandlers,
  ...dashboardHandlers,
  ...creditHandlers,
  ...issueHandlers,
  ...handlers,
  ...seriesHandlers,
);
