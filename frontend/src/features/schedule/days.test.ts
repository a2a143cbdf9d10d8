import { describe, expect, test } from "vitest";
import { dayOf, hour, isScheduleDay, later, momentOf, spanOf } from "./days";

describe("days of the service", () => {
  test("a day begins when it does where the service is", () => {
    expect(new Date(momentOf("2026-11-20", 0, "America/Caracas")).toISOString()).toBe(
      "2026-11-20T04:00:00.000Z",
    );
    expect(new Date(momentOf("2026-07-20", 21, "Europe/Madrid")).toISOString()).toBe(
      "2026-07-20T19:00:00.000Z",
    );
    // The clocks jumped from 00:00 to 01:00.
    expect(new Date(momentOf("2026-09-06", 0, "America/Santiago")).toISOString()).toBe(
      "2026-09-06T04:00:00.000Z",
    );
    expect(new Date(momentOf("2026-03-08", 0, "America/Havana")).toISOString()).toBe(
      "2026-03-08T05:00:00.000Z",
    );
    expect(dayOf(Date.parse("2026-11-20T02:00:00Z"), "America/Caracas")).toBe("2026-11-19");
  });

  test("a day on which clocks change has 23 or 25 hours", () => {
    const hoursOf = (day: string) => {
      const { from, to } = spanOf(day, "Europe/Madrid");
      return (to - from) / hour;
    };
    expect(["2026-03-29", "2026-10-25", "2026-11-20"].map(hoursOf)).toEqual([23, 25, 24]);
  });

  test("months and years end", () => {
    expect([later("2026-12-31", 1), later("2026-03-01", -1)]).toEqual(["2027-01-01", "2026-02-28"]);
  });
});

test("an address names a day of the calendar or none", () => {
  expect(isScheduleDay("2026-11-20")).toBe(true);
  for (const text of ["", "2026-13-45", "2026-02-30", "hoy", "2026-1-2", "0000-01-01", "9999-12-31"])
    expect(isScheduleDay(text)).toBe(false);
});
