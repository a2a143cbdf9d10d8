// The line-up of channels: first number, step and order; rows are moved by dragging or by keyboard. Shows the numbers before
// and after; the operation is previewed and run like any other.
import { Alert, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type FormEvent, type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../../api/problem";
import {
  type Bounds,
  type TypedNumber,
  WholeNumberInput,
  wholeNumber,
} from "../../../forms/WholeNumberInput";
import { currentLanguage } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import type { OwnValues } from "../../../operations/BulkDialog";
import type { BulkChange, OperationRequest } from "../../../operations/queries";
import { ErrorView } from "../../../ui/ErrorView";
import { FailureAlert } from "../../../ui/FailureAlert";
import { GripIcon } from "../../../ui/lazyIcons";
import { moved, placeByKey, useDraggedRows } from "../../../ui/useRowOrder";
import { contentKeys } from "../queries";
import {
  byHandAfter,
  type Channel,
  hasBlocks,
  inOrder,
  type LineupOrder,
  type LineupPlan,
  numbersOf,
} from "./lineup";
import { mostChannels, readLineup } from "./lineupChannels";
import "./renumber.css";

/** What the numbers are made from. */
interface LineupValues extends OwnValues {
  plan: LineupPlan;
  /** The channels in their order by hand. */
  ids: number[];
}

interface RenumberFormProps {
  selected: Pick<OperationRequest, "ids" | "filter">;
  /** What was entered before a preview, or before a crash: plan and order stay. */
  initial: OwnValues | undefined;
  restored: number;
  failure: string | undefined;
  isPending: boolean;
  onPreview: (change: BulkChange) => void;
  onChange: (values: OwnValues) => void;
  onCancel: () => void;
}

/** The largest number of a channel. */
const most = 2 ** 31 - 1;
const ofStart = { min: 0, max: most };
const ofStep = { min: 1, max: most };
/** As `renumber.css` has it. */
const rowHeight = 35;
const orders: LineupOrder[] = ["number", "title", "category", "manual"];
export default function RenumberForm(props: RenumberFormProps) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: [...contentKeys.all("tv-channels"), "lineup", props.selected],
    queryFn: ({ signal }) => readLineup(props.selected, signal),
    staleTime: 0,
    gcTime: 0,
  });
  if (query.isError)
    return (
      <ErrorView
        title={t("list.failed")}
        message={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Text role="status">{t("common.loading")}</Text>;
  if (query.data.chosen.length > mostChannels)
    return (
      <Alert color="yellow">{t("operations.lineup.tooMany", { number: formatNumber(mostChannels) })}</Alert>
    );
  return <Lineup key={props.restored} {...props} {...query.data} />;
}

function Lineup({
  all,
  chosen,
  initial,
  failure,
  isPending,
  onPreview,
  onChange,
  onCancel,
}: RenumberFormProps & { all: Channel[]; chosen: Channel[] }) {
  const { t } = useTranslation();
  const before = initial as LineupValues | undefined;
  const [plan, setPlan] = useState<LineupPlan>(
    before?.plan ?? {
      order: "number",
      start: Math.max(1, chosen[0]?.channelNumber ?? 1),
      step: 1,
      block: 0,
    },
  );
  const [typed, setTyped] = useState<Record<"start" | "step", TypedNumber>>(plan);
  const isComplete =
    wholeNumber(typed.start, ofStart) !== undefined && wholeNumber(typed.step, ofStep) !== undefined;
  const [byHand, setByHand] = useState(() => {
    const places = new Map(before?.ids.map((id, index) => [id, index]));
    const place = ({ id }: Channel) => places.get(id) ?? places.size;
    return chosen.toSorted((one, other) => place(one) - place(other));
  });
  const channels = useMemo(
    () => inOrder(plan.order === "manual" ? byHand : chosen, plan.order, currentLanguage()),
    [plan.order, byHand, chosen],
  );
  const numbers = numbersOf(channels, plan);
  // They grow from row to row.
  const largest = numbers.at(-1) ?? 0;
  const isTooLarge = largest > most;
  const inUse = useInUse(all, chosen, numbers);
  /** An order that was made by hand once is asked about before it is lost, whichever order is chosen after it. */
  const isByHand = before?.isByHand ?? false;
  const enter = (nextPlan: LineupPlan, nextByHand = byHand, isMoved = isByHand) => {
    setPlan(nextPlan);
    setByHand(nextByHand);
    onChange({ plan: nextPlan, ids: nextByHand.map(({ id }) => id), isByHand: isMoved } as LineupValues);
  };
  const put = (change: Partial<LineupPlan>) => enter({ ...plan, ...change });
  const move = (from: number, to: number) => {
    const next = moved(channels, from, to);
    const nextPlan = byHandAfter(plan);
    enter(nextPlan, next, true);
    return numbersOf(next, nextPlan)[to];
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!isComplete || isTooLarge) return;
    enter(plan);
    onPreview({
      type: "RENUMBER",
      numbers: channels.map(({ id }, index) => ({ id, number: numbers[index] as number })),
    });
  };
  /** The rows keep the numbers of before while what is typed is none. */
  const type = (key: "start" | "step", value: TypedNumber, bounds: Bounds) => {
    setTyped({ ...typed, [key]: value });
    const number = wholeNumber(value, bounds);
    if (number !== undefined) put({ [key]: number });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <div className="lineup-plan">
          <WholeNumberInput
            label={t("operations.lineup.start")}
            value={typed.start}
            {...ofStart}
            onChange={(value) => type("start", value, ofStart)}
            data-autofocus
          />
          <WholeNumberInput
            label={t("operations.lineup.step")}
            value={typed.step}
            {...ofStep}
            onChange={(value) => type("step", value, ofStep)}
          />
          <NativeSelect
            label={t("operations.lineup.order")}
            value={plan.order}
            onChange={(event) => {
              const order = event.currentTarget.value as LineupOrder;
              if (order !== "manual") return put({ order });
              enter(byHandAfter(plan), channels);
            }}
            data={orders.map((value) => ({ value, label: t(`operations.lineup.orders.${value}`) }))}
          />
          {hasBlocks(plan.order) && (
            <NativeSelect
              label={t("operations.lineup.block")}
              value={String(plan.block)}
              onChange={(event) => put({ block: Number(event.currentTarget.value) })}
              data={[0, 10, 50, 100, 1000].map((value) => ({
                value: String(value),
                label:
                  value === 0 ? t("operations.lineup.noBlock") : t("operations.lineup.multiple", { value }),
              }))}
            />
          )}
        </div>
        <FailureAlert>
          {isTooLarge &&
            t("operations.lineup.tooLarge", { number: formatNumber(largest), max: formatNumber(most) })}
        </FailureAlert>
        {inUse > 0 && (
          <Alert color="yellow" py="xs">
            {t("operations.lineup.taken", { count: inUse, number: formatNumber(inUse) })}
          </Alert>
        )}
        <LineupRows channels={channels} numbers={numbers} onMove={move} />
        <FailureAlert>{failure}</FailureAlert>
      </Stack>
      <Group mt="lg" justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
        <Button
          type="submit"
          loading={isPending}
          disabled={channels.length === 0 || !isComplete || isTooLarge}
        >
          {t("operations.preview")}
        </Button>
      </Group>
    </form>
  );
}

/** How many of the new numbers other channels have. */
function useInUse(all: Channel[], chosen: Channel[], numbers: number[]): number {
  const others = useMemo(() => {
    const ids = new Set(chosen.map(({ id }) => id));
    return new Set(all.filter(({ id }) => !ids.has(id)).map(({ channelNumber }) => channelNumber));
  }, [all, chosen]);
  return numbers.filter((number) => others.has(number)).length;
}

interface LineupRowsProps {
  channels: Channel[];
  numbers: number[];
  /** Answers the number that the row has then. */
  onMove: (from: number, to: number) => number | undefined;
}

function LineupRows({ channels, numbers, onMove }: LineupRowsProps) {
  const { t } = useTranslation();
  const rowProps = useDraggedRows(onMove);
  const [announcement, setAnnouncement] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  // The channel whose row has the focus or is dragged: it loses both where it is removed while others are scrolled to.
  const [held, setHeld] = useState<number>();
  // Who can't drag, as on a telephone, chooses a row and then the one whose place it takes.
  const [picked, setPicked] = useState<number>();
  const rows = useVirtualizer({
    count: channels.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      const at = channels.findIndex(({ id }) => id === held);
      if (at < 0 || indexes.includes(at)) return indexes;
      return [...indexes, at].toSorted((one, other) => one - other);
    },
  });
  const put = (from: number, to: number) => {
    const { id, title } = channels[from] as Channel;
    setPicked(undefined);
    const number = onMove(from, to);
    setAnnouncement(
      t("operations.lineup.moved", {
        name: title,
        place: to + 1,
        count: channels.length,
        number,
      }),
    );
    setHeld(id);
    setTimeout(() => {
      rows.scrollToIndex(to);
      list.current?.querySelector<HTMLElement>(`[data-channel="${id}"] button`)?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent, from: number) => {
    const to = placeByKey(event, from, channels.length);
    if (to !== undefined) put(from, to);
  };
  const pick = (index: number) => {
    const { id, title } = channels[index] as Channel;
    const from = channels.findIndex((channel) => channel.id === picked);
    if (from >= 0 && from !== index) return put(from, index);
    setPicked(from === index ? undefined : id);
    setAnnouncement(t(`operations.lineup.${from === index ? "unpicked" : "picked"}`, { name: title }));
  };
  return (
    <>
      <Text size="xs" c="dimmed" id="lineup-help">
        {t("operations.lineup.help")}
      </Text>
      <div ref={scroller} className="lineup">
        <ol ref={list} aria-label={t("operations.lineup.list")} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const { id, title, channelNumber, category } = channels[index] as Channel;
            const dragging = rowProps(index, title);
            return (
              <li
                key={id}
                data-channel={id}
                data-picked={id === picked || undefined}
                aria-setsize={channels.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
                {...dragging}
                onDragStart={(event) => {
                  setHeld(id);
                  setPicked(undefined);
                  dragging.onDragStart(event);
                }}
              >
                <button
                  type="button"
                  aria-label={t("operations.lineup.move", { name: title })}
                  aria-describedby="lineup-help"
                  aria-pressed={id === picked}
                  onClick={() => pick(index)}
                  onFocus={() => setHeld(id)}
                  onKeyDown={(event) => onKeyDown(event, index)}
                >
                  <GripIcon size={16} />
                </button>
                <span className="tabular lineup-before">{channelNumber}</span>
                <span aria-hidden="true">→</span>
                <strong className="tabular" data-changed={numbers[index] !== channelNumber || undefined}>
                  {numbers[index]}
                </strong>
                <span className="lineup-title">{title}</span>
                <span className="quiet lineup-category">{category}</span>
              </li>
            );
          })}
        </ol>
      </div>
      <output className="visually-hidden" aria-live="polite">
        {announcement}
      </output>
    </>
  );
}
