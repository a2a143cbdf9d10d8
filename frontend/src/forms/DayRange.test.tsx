// The days of a filter are those of the service, wherever it is read.
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { loadTexts } from "../i18n";
import { setServiceZone } from "../i18n/serviceZone";
import DayInput from "./DayInput";
import DayRange from "./DayRange";

afterEach(() => setServiceZone(undefined));

test.each([
  ["Pacific/Auckland", "2026-11-21", "2026-11-15"],
  ["America/Los_Angeles", "2026-11-20", "2026-11-14"],
])("«Hoy» in %s is %s", async (zone, today, before) => {
  vi.useFakeTimers({ now: new Date("2026-11-20T20:00:00Z"), toFake: ["Date"] });
  setServiceZone(zone);
  const user = userEvent.setup();
  const chosen: unknown[] = [];
  const choice = { key: "updatedDate", label: "", options: [], input: "days" as const };
  render(
    <MantineProvider>
      <DayRange choice={choice} values={{}} onChange={(values) => chosen.push(values)} />
    </MantineProvider>,
  );
  const [ofToday, ofSevenDays] = screen.getAllByRole("button");
  await user.click(ofToday as HTMLElement);
  await user.click(ofSevenDays as HTMLElement);
  expect(chosen).toEqual([
    { updatedDateFrom: today, updatedDateTo: undefined },
    { updatedDateFrom: before, updatedDateTo: undefined },
  ]);
});

test("a day that can't be read stays to be corrected", async () => {
  const user = userEvent.setup();
  const days: unknown[] = [];
  await loadTexts("empty");
  render(
    <MantineProvider>
      <DayInput label="Desde" value="" onDay={(day) => days.push(day)} />
    </MantineProvider>,
  );
  const field = screen.getByRole("textbox", { name: "Desde" });
  await user.type(field, "31/02/2026");
  await user.tab();
  expect(await screen.findByText(/No es una fecha/)).toBeVisible();
  expect(field).toHaveValue("31/02/2026");
  await user.clear(field);
  await user.type(field, "28/02/2026");
  await user.tab();
  expect(screen.queryByText(/No es una fecha/)).toBeNull();
  expect(days).toContain("2026-02-28");
});

test("a day that can't be read is gone once the filters of its list are removed", async () => {
  const user = userEvent.setup();
  await loadTexts("empty");
  const field = (isFiltered: boolean) => (
    <MantineProvider>
      <DayInput label="Desde" value="" isFiltered={isFiltered} onDay={() => {}} />
    </MantineProvider>
  );
  const { rerender } = render(field(true));
  await user.type(screen.getByRole("textbox", { name: "Desde" }), "31/02/2026");
  await user.tab();
  await screen.findByText(/No es una fecha/);
  rerender(field(false));
  expect(screen.getByRole("textbox", { name: "Desde" })).toHaveValue("");
  expect(screen.queryByText(/No es una fecha/)).toBeNull();
});
