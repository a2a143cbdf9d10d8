// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part, with cells that overlap its columns
// biome-ignore-all lint/a11y/useFocusableInteractive: of a grid its cells have the focus, one at a time
// A channel of the grid: its name, which stays in sight, and what is on it.
import { type CSSProperties, memo } from "react";
import { Link } from "react-router";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatTimeIn } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import { plain } from "../../ui/plain";
import { cellAt, cellsOf, type Part } from "./cells";
import { shortEpisode } from "./episode";
import { isPending, type Row } from "./queries";

interface ChannelRowProps {
  index: number;
  top: number;
  row: Row | undefined;
  parts: readonly Part[];
  /** The times that are drawn. */
  from: number;
  to: number;
  offsetOf: (moment: number) => number;
  now: number;
  /** The day that is drawn is today's: a line is at the time that it is. */
  isToday: boolean;
  zone: string;
  search: string;
  current: number | undefined;
  onOpen: (index: number, channel: number, at: number) => void;
}

/** Drawn again only when something of it changed: the grid is drawn at each step of the wheel. */
export const ChannelRow = memo(
  DrawnRow,
  ({ parts: before, ...one }, { parts, ...other }) =>
    parts.every(({ row }, at) => row === before[at]?.row) &&
    Object.entries(other).every(([name, value]) => value === one[name as keyof typeof one]),
);

/** Why it has no programmes, with a link to the review where a decision is missing. */
function reasonOf({ channelId }: Row, reason: NonNullable<Row["without"]>) {
  const label = labelOf(WithoutGuide, reason);
  if (!isPending(reason)) return label;
  return (
    <Link to={paths.epgReviewOf(channelId)} tabIndex={-1}>
      {label}
    </Link>
  );
}

function DrawnRow({
  index,
  top,
  row,
  parts,
  from,
  to,
  offsetOf,
  now,
  isToday,
  zone,
  search,
  current,
  onOpen,
}: ChannelRowProps) {
  const cells = cellsOf(parts);
  const active = current === undefined ? undefined : cellAt(cells, current);
  const shown = cells.filter((cell) => (cell.to > from && cell.from < to) || cell === active);
  return (
    <div className="schedule-row" role="row" aria-rowindex={index + 2} style={{ top }}>
      <div className="schedule-label" role="rowheader">
        {row ? (
          <>
            <span className="schedule-number tabular">{row.channelNumber}</span>
            <Link to={paths.editContent("tv-channels", row.channelId)} tabIndex={-1}>
              {row.title}
            </Link>
          </>
        ) : (
          <span className="schedule-waits" />
        )}
      </div>
      <div className="schedule-cells" role="none">
        {shown.map((cell) => {
          const style: CSSProperties = {
            left: offsetOf(cell.from),
            width: offsetOf(cell.to) - offsetOf(cell.from),
          };
          const { programme } = cell;
          const isCurrent = cell === active;
          if (!programme)
            return (
              <div
                key={cell.from}
                role="gridcell"
                className={cell.isLoading ? "schedule-cell schedule-loading" : "schedule-cell schedule-gap"}
                style={style}
                tabIndex={isCurrent ? 0 : -1}
                data-current={isCurrent}
                data-from={cell.from}
              >
                <span className="schedule-text">
                  {cell.isLoading ? "" : row?.without ? reasonOf(row, row.without) : t("schedule.nothing")}
                </span>
              </div>
            );
          // Of a programme that goes on behind another one, only the part of now is on.
          const isOn = cell.from <= now && cell.to > now;
          const isFound = search !== "" && plain(programme.title).includes(search);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles its keys
            <div
              key={cell.from}
              role="gridcell"
              className={`schedule-cell schedule-programme${isOn ? " is-on" : ""}${isFound ? " is-found" : ""}`}
              style={style}
              tabIndex={isCurrent ? 0 : -1}
              data-current={isCurrent}
              data-from={cell.from}
              onClick={() => row && onOpen(index, row.channelId, cell.from)}
            >
              <span className="schedule-text">
                <b>{programme.title}</b>
                <span className="schedule-when tabular">
                  {formatTimeIn(Date.parse(programme.start), zone)}
                  <span className="visually-hidden">
                    {" – "}
                    {formatTimeIn(Date.parse(programme.stop), zone)}
                  </span>
                  {[shortEpisode(programme), programme.subTitle].map((text) => (text ? ` · ${text}` : ""))}
                </span>
              </span>
            </div>
          );
        })}
        {isToday && <span className="schedule-now" aria-hidden="true" style={{ left: offsetOf(now) }} />}
      </div>
    </div>
  );
}
