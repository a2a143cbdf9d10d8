// The dashboards of the mock server: the same numbers every time.
import { HttpResponse, http } from "msw";
import type { components } from "../api/schema.gen";

type Schemas = components["schemas"];

const contentCounts = { movies: 1250, series: 40, episodes: 830, concerts: 12, sports: 0, documentaries: 7 };

const monthly = Array.from({ length: 12 }, (_, index) => ({
  month: index === 0 ? "2025-12" : `2026-${String(index).padStart(2, "0")}`,
  registrations: index * 3,
  creditsSold: index === 4 ? -2 : index * 120,
}));

/** As many days from now. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const expiringNext = [
  { username: "pedro_gil", fullName: "Pedro Gil", credits: 1, expirationDate: inDays(1) },
  { username: "rosa_luna", fullName: "Rosa Luna", credits: 3, expirationDate: inDays(5) },
];

export const sampleAdminDashboard: Schemas["AdminDashboard"] = {
  totalUsers: 1204,
  totalAgents: 18,
  expiredUsers: 31,
  usersAboutToExpire: 9,
  topSellingAgents: [
    { username: "lucia_diaz", fullName: "Lucía Díaz", totalSales: 5400 },
    { username: "ramon_vega", fullName: "Ramón Vega", totalSales: 310 },
  ],
  contentCounts,
  monthly,
  expiringNext,
};

export const sampleAgentDashboard: Schemas["AgentDashboard"] = {
  totalSaleCredits: 351,
  totalAppCredits: 64,
  totalRegisteredUsers: 42,
  totalRegisteredAgents: 3,
  expiredUsers: 5,
  usersAboutToExpire: 0,
  monthly,
  expiringNext,
};

const sampleContentDashboard: Schemas["ContentManagerDashboard"] = {
  contentCounts,
  unresolvedIssues: {
    TV: 4,
    RADIO: 0,
    MOVIE: 0,
    DOCUMENTARY: 1,
    SPORT: 0,
    CONCERT: 0,
    EPISODE: 12,
    TRAILER: 0,
  },
};

export const dashboardHandlers = [
  http.get("/api/admin/dashboard", () => HttpResponse.json(sampleAdminDashboard)),
  http.get("/api/agent/dashboard", () => HttpResponse.json(sampleAgentDashboard)),
  http.get("/api/content-manager/dashboard", () => HttpResponse.json(sampleContentDashboard)),
];
