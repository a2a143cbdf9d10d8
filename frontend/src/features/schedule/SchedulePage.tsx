// «Programación»: programmes by channel. A grid on wide screens, now and next on a phone.
import { Button, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { messageOf } from "../../api/problem";
import { useCategoryOptions } from "../../api/storedOptions";
import { formatLongDay } from "../../i18n/lazyFormats";
import { isOneOf, isPositive, type Known, withoutUnknown } from "../../routing/knownAddress";
import { useAddress } from "../../routing/useAddress";
import { AddressWarning } from "../../ui/AddressWarning";
import { ErrorView } from "../../ui/ErrorView";
import { NextIcon, PreviousIcon } from "../../ui/icons";
import { ListExport } from "../../ui/list/export/ListExport";
import { SearchBox } from "../../ui/list/SearchBox";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { dayOf, isScheduleDay, later, momentOf, spanOf } from "./days";
import { Grid, type GridHandle } from "./Grid";
import { Narrowed } from "./Narrowed";
import { NowNext } from "./NowNext";
import { ProgrammeDrawer } from "./ProgrammeDrawer";
import { type Days, filterQuery, isFinding, type ScheduleFilter, scheduleQueries, shows } from "./queries";
import "./schedule.css";

/** The hour at which the evening's programme begins. */
const primeTime = 21;
/** The longest that something can be looked for from now on, in hours. */
const mostHours = 72;

/** Of each programme: what the schedule shows. */
const columnsOfFile = ["number", "title", "guide", "start", "stop", "programme", "subTitle", "categories"]
  .concat(["season", "episode", "episodeText", "isNew", "isRepeat", "without"])
  .map((key) => ({ key }));

const known: Known = {
  day: isScheduleDay,
  category: isPositive,
  show: isOneOf(shows),
  guide: isPositive,
  reason: isOneOf(Object.keys(WithoutGuide)),
  hours: (value) => isPositive(value) && Number(value) <= mostHours,
};

export default function SchedulePage() {
  const { t } = useTranslation();
  const days = useQuery(scheduleQueries.days);
  if (days.error && !days.data)
    return (
      <>
        <PageHeading title={t("pages.schedule")} />
        <ErrorView
          title={t("schedule.failed")}
          message={messageOf(days.error)}
          onRetry={() => void days.refetch()}
        />
      </>
    );
  return days.data ? <Schedule days={days.data} /> : <PageSkeleton />;
}

function Schedule({ days }: { days: Days }) {
  const { t } = useTranslation();
  const { zone, daysBack, daysAhead } = days;
  const isPhone = useMediaQuery("(max-width: 640px)", false, { getInitialValueInEffect: false });
  const [address, setAddress] = useAddress();
  const params = withoutUnknown(address, known);
  const grid = useRef<GridHandle>(null);
  const [opened, setOpened] = useState<{ channel: number; at: number }>();
  const today = dayOf(Date.now(), zone);
  const day = params.get("day") || today;
  // A phone shows what is on now, whatever day the address has.
  const shownDay = isPhone ? today : day;
  const filter: ScheduleFilter = {
    search: params.get("search") ?? "",
    category: params.get("category") ?? "",
    show: shows.find((known) => known === params.get("show")) ?? "",
    guide: params.get("guide") ?? "",
    reason: params.get("reason") ?? "",
    hours: params.get("hours") ?? "",
  };
  const change = (values: Record<string, string>) =>
    setAddress(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          if (value) after.set(name, value);
          else after.delete(name);
        }
        return after;
      },
      { replace: true },
    );
  const go = (to: string, moment: number) => {
    change({ day: to === today ? "" : to });
    // The grid of another day is drawn first.
    requestAnimationFrame(() => grid.current?.show(moment));
  };
  /** Another day begins at its first moment, today where the time is. */
  const choose = (to: string) => go(to, to === today ? Date.now() : momentOf(to, 0, zone));
  const open = useCallback((channel: number, at: number) => setOpened({ channel, at }), []);
  return (
    <>
      <PageHeading
        title={t("pages.schedule")}
        aside={
          <>
            <span className="quiet">{zone.replaceAll("_", " ")}</span>
            <ListExport
              list="schedule"
              file="spreadsheets/schedule"
              // A day in the service's time zone, from its first moment to its last.
              query={{ from: shownDay, to: shownDay, ...filterQuery(filter) }}
              // Its rows are programmes.
              total={undefined}
              columns={columnsOfFile}
            />
          </>
        }
      />
      <AddressWarning known={known} />
      <div className="schedule-tools">
        <Filters filter={filter} change={change} />
        {!isPhone && (
          <div className="schedule-jumps">
            <Button
              variant="default"
              px="xs"
              aria-label={t("schedule.dayBefore")}
              disabled={day <= later(today, -daysBack)}
              onClick={() => choose(later(day, -1))}
            >
              <PreviousIcon />
            </Button>
            <NativeSelect
              aria-label={t("schedule.day")}
              value={day}
              data={optionsOf(days, today, day)}
              onChange={(event) => choose(event.currentTarget.value)}
            />
            <Button
              variant="default"
              px="xs"
              aria-label={t("schedule.dayAfter")}
              disabled={day >= later(today, daysAhead)}
              onClick={() => choose(later(day, 1))}
            >
              <NextIcon />
            </Button>
            <Button variant="default" onClick={() => go(today, Date.now())}>
              {t("schedule.now")}
            </Button>
            <Button variant="default" onClick={() => go(day, momentOf(day, primeTime, zone))}>
              {t("schedule.primeTime")}
            </Button>
          </div>
        )}
      </div>
      {isPhone ? (
        <NowNext key={JSON.stringify(filter)} filter={filter} zone={zone} onOpen={open} />
      ) : (
        <Grid
          key={`${day} ${JSON.stringify(filter)}`}
          handle={grid}
          span={spanOf(day, zone)}
          isToday={day === today}
          zone={zone}
          filter={filter}
          onOpen={open}
        />
      )}
      <ProgrammeDrawer opened={opened} zone={zone} onClose={() => setOpened(undefined)} onOpen={open} />
    </>
  );
}

function optionsOf({ daysBack, daysAhead }: Days, today: string, chosen: string) {
  const kept = Array.from({ length: daysBack + daysAhead + 1 }, (_, index) => later(today, index - daysBack));
  if (!kept.includes(chosen)) kept.push(chosen);
  return kept.map((value) => ({ value, label: formatLongDay(value) }));
}

interface FiltersProps {
  filter: ScheduleFilter;
  change: (values: Record<string, string>) => void;
}

function Filters({ filter, change }: FiltersProps) {
  const { t } = useTranslation();
  const categories = useCategoryOptions("TV_CHANNEL");
  return (
    <div className="schedule-filters">
      <SearchBox
        value={filter.search}
        placeholder={t("schedule.search")}
        onSearch={(search) => change({ search })}
      />
      <NativeSelect
        aria-label={t("schedule.category")}
        value={filter.category}
        data={[{ value: "", label: t("schedule.allCategories") }, ...categories.options]}
        error={categories.isError && t("list.failed")}
        onChange={(event) => change({ category: event.currentTarget.value })}
      />
      {categories.isError && (
        <Button variant="subtle" px="xs" onClick={() => void categories.refetch()}>
          {t("common.retry")}
        </Button>
      )}
      <NativeSelect
        aria-label={t("schedule.show")}
        value={filter.show}
        data={[
          { value: "", label: t("schedule.shown.all") },
          ...shows.map((value) => ({ value, label: t(`schedule.shown.${value}`) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          change({ show: value, reason: "", ...(!isFinding(value) && { hours: "" }) })
        }
      />
      <Narrowed filter={filter} change={change} />
    </div>
  );
}
