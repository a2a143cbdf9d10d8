// The mock server of the tests: a request without a handler is an error.
import { setupServer } from "msw/node";
import { handlers, recorder } from "./backend";
import { backupHandlers } from "./backups";
import { creditHandlers } from "./credits";
import { dashboardHandlers } from "./dashboards";
import { issueHandlers } from "./issues";
import { keyHandlers } from "./keys";
import { liveProfileHandlers } from "./liveProfiles";
import { noteHandlers } from "./notes";
import { renewalHandlers } from "./renewals";
import { seriesHandlers } from "./series";
import { sessionHandlers } from "./sessions";
import { settingsHandlers } from "./settings";
import { userHandlers } from "./users";
import { visitHandlers } from "./visits";
import { webhookHandlers } from "./webhooks";

export const server = setupServer(
  recorder,
  ...noteHandlers,
  ...renewalHandlers,
  ...userHandlers,
  ...dashboardHandlers,
  ...creditHandlers,
  ...backupHandlers,
  ...keyHandlers,
  ...liveProfileHandlers,
  ...sessionHandlers,
  ...settingsHandlers,
  ...visitHandlers,
  ...issueHandlers,
  ...webhookHandlers,
  ...handlers,
  ...seriesHandlers,
);
