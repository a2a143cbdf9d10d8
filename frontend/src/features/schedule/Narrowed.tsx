// The filters that a number of guide health set on the schedule, each with a button that removes it.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { guideFetches } from "../../guides/queries";
import { labelOf } from "../../i18n/enums";
import { CloseIcon } from "../../ui/icons";
import type { ScheduleFilter } from "./queries";

interface NarrowedProps {
  filter: ScheduleFilter;
  change: (values: Record<string, string>) => void;
}

export function Narrowed({ filter: { guide, reason, hours }, change }: NarrowedProps) {
  const { t } = useTranslation();
  const may = useMay();
  const { data } = useQuery({ ...guideFetches, enabled: guide !== "" && may("TVGUIDE_READ") });
  const title = data?.find(({ guideId }) => guideId === Number(guide))?.title ?? guide;
  const narrowed = [
    { name: "guide", value: guide, label: t("schedule.ofGuide", { title }) },
    { name: "hours", value: hours, label: t("schedule.nextHours", { hours }) },
    { name: "reason", value: reason, label: labelOf(WithoutGuide, reason) },
  ];
  return narrowed
    .filter(({ value }) => value !== "")
    .map(({ name, label }) => (
      <Button
        key={name}
        variant="light"
        rightSection={<CloseIcon size={14} />}
        aria-label={t("schedule.remove", { filter: label })}
        onClick={() => change({ [name]: "" })}
      >
        {label}
      </Button>
    ));
}
