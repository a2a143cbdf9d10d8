// What the home page requests at a start: nothing twice, also after the stream has said all there is.
import { screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Activity } from "../activity/queries";
import { dropAhead, sendAhead } from "../api/ahead";
import { backend } from "../testing/backend";
import { FakeStream, mockLocks, mockStreams, removeStreams } from "../testing/eventStream";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

beforeEach(() => {
  mockStreams();
  mockLocks();
});

afterEach(() => {
  removeStreams();
  dropAhead();
});

/** As the server serializes it; events have the fields of each part in the order of their names. */
const activity: Activity = {
  jobs: [],
  ended: [{ kind: "OPERATION", title: "movies", finishedDate: "2026-11-20T10:15:00.000Z" }],
  links: { down: 1, switchedOff: 0, lastSwitch: null, lastChange: 4 },
  reviews: { waiting: 2 },
  reports: { open: 1, newest: 9, lastChange: 20 },
};

const coverage = { percent: 87, gaps: 2, overlaps: 0, placeholders: 0 };
const guideHealth = { channels: 20, day: coverage, threeDays: coverage, guides: [], without: [] };

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([name, field]) => [name, sorted(field)]),
        )
      : value;

test.each(["admin", "agent", "contentManager"])(
  "the home page of the role %s requests nothing twice",
  async (roleCode) => {
    backend.user = {
      username: "ana",
      roleCode,
      roleName: "Mi rol",
      permissions: [
        "MOVIE_READ",
        "USER_READ",
        "USER_UPDATE",
        "ISSUES_READ",
        "TVCHANNEL_READ",
        "TVGUIDE_READ",
      ],
    };
    let isRead = false;
    server.use(
      http.get("/api/guide-health", () => HttpResponse.json(guideHealth)),
      http.get("/api/activity", () => {
        isRead = true;
        return HttpResponse.json(activity);
      }),
    );
    sendAhead("post", "/auth/refresh", "es");
    const { idle } = renderPage("/");
    await screen.findByRole("heading", { level: 1 });
    await waitFor(() => expect(FakeStream.open).toHaveLength(1));
    await waitFor(() => expect(isRead).toBe(true));
    await idle();
    for (const [part, value] of Object.entries(activity)) FakeStream.open[0]?.send(part, sorted(value));
    await idle();
    expect(backend.requests.toSorted()).toEqual([...new Set(backend.requests)].toSorted());
  },
);
