// The running jobs, each with its progress and a link; nothing without any.
import { Button, Loader, Progress } from "@mantine/core";
import "@mantine/core/styles/Progress.layer.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { follow } from "../../activity/follow";
import { activityQuery, type Job } from "../../activity/queries";
import { JobKind } from "../../api/enums/JobKind.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { resourceName } from "../../operations/resources";
import { paths } from "../../routing/paths";
import { MenuButton } from "../../ui/dropdown/MenuButton";
import "./running-jobs.css";

export default function RunningJobs() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data } = useQuery(activityQuery);
  useEffect(() => follow(client), [client]);
  const jobs = data?.jobs ?? [];
  if (jobs.length === 0) return null;
  const label = t("activity.jobs", { count: jobs.length, number: formatNumber(jobs.length) });
  return (
    <MenuButton
      button={(props) => (
        <Button
          {...props}
          className="running-jobs"
          variant="subtle"
          color="gray"
          leftSection={<Loader size={16} />}
          aria-label={label}
          title={label}
        >
          <span className="tabular">{formatNumber(jobs.length)}</span>
        </Button>
      )}
      position="bottom-end"
      width={340}
      withinPortal={false}
      className="running-jobs-menu"
      heading={t("activity.title")}
      entries={jobs.map((job) => ({
        key: `${job.kind} ${job.id}`,
        label: <JobLines job={job} />,
        to: placeOf(job),
      }))}
    />
  );
}

function JobLines({ job: { kind, title, done, total, createdBy } }: { job: Job }) {
  const { t } = useTranslation();
  const name = kind === "OPERATION" && title ? resourceName(title) : title;
  const hasCount = done !== null && total !== null && total > 0;
  return (
    <span className="running-job">
      <strong>{labelOf(JobKind, kind)}</strong>
      {hasCount && (
        <span className="tabular">
          {t("activity.progress", { done: formatNumber(done), total: formatNumber(total) })}
        </span>
      )}
      <span className="quiet">
        {[name, createdBy ? t("activity.by", { name: createdBy }) : t("activity.scheduled")]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {hasCount && <Progress value={(100 * done) / total} size="sm" aria-hidden="true" />}
    </span>
  );
}

/** Where a job is seen. */
function placeOf({ kind, id }: Job): string {
  switch (kind) {
    case "OPERATION":
      return `${paths.operations}?operation=${id}`;
    case "PLAYLIST_RUN":
      return `${paths.playlists}/${id}`;
    case "GUIDE_FETCH":
      return paths.guideHealth;
    case "MATCHING_RUN":
      return paths.epgReview;
  }
}
