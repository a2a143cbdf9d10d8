// «Programación» of the mock server: a day with two channels, and what its screen shows of them.
import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, vi } from "vitest";
import { backend } from "./backend";
import { server } from "./server";

export const day = "2026-11-20T";
export const days = { timeZone: "UTC", daysBack: 1, daysAhead: 14 };
export const programme = (title: string) => ({
  title,
  subTitle: null,
  start: `${day}00:00:00Z`,
  stop: `${day}06:00:00Z`,
  isNew: false,
  isRepeat: false,
});
export const full = (channelId: number, title: string) => ({
  channelId,
  channelNumber: channelId,
  title: `Canal ${channelId}`,
  epgId: null,
  guideId: null,
  guideTitle: null,
  guideChannel: null,
  programme: {
    ...programme(title),
    categories: [],
    ratings: [],
    description: `De qué va ${title}`,
    icon: null,
    date: null,
    season: null,
    episode: null,
    episodeText: null,
  },
  following: [],
  elsewhere: [],
});

/** What the programme of the second channel answers with. */
export const answers = { second: (): Response | Promise<Response> => HttpResponse.json(full(2, "Ópera")) };
const { second } = answers;

/** Serves the day before each test of a file. */
export function scheduleBeforeEach(): void {
  beforeEach(() => {
    answers.second = second;
    serveSchedule();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** To a user who may see it. */
function serveSchedule(): void {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "",
    permissions: ["TVCHANNEL_READ"],
  };
  // Only rows that fit in the height are rendered.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_000);
  Element.prototype.scrollTo = () => {};
  server.use(
    http.get("/api/categories", () => HttpResponse.json({ content: [] })),
    http.get("/api/schedule", () =>
      HttpResponse.json({
        ...days,
        content: ["Cine", "Ópera"].map((title, index) => ({
          channelId: index + 1,
          channelNumber: index + 1,
          title: `Canal ${index + 1}`,
          without: null,
          programmes: [programme(title)],
        })),
        totalElements: 2,
      }),
    ),
    http.get("/api/tv-channels/1/programme", () => HttpResponse.json(full(1, "Cine"))),
    http.get("/api/tv-channels/2/programme", () => answers.second()),
  );
}

export const cell = (title: string) => screen.findByRole("gridcell", { name: new RegExp(title) });
export const close = () => screen.findByRole("button", { name: "Cerrar" });
