// The numbers of a line-up: order, first number and step.

export interface Channel {
  id: number;
  title: string;
  channelNumber: number;
  category?: string;
}

/** Whether an order groups categories, or may. */
export const hasBlocks = (order: LineupOrder) => order === "category" || order === "manual";

export type LineupOrder = "number" | "title" | "category" | "manual";

export interface LineupPlan {
  order: LineupOrder;
  start: number;
  step: number;
  /** Each category begins at the next multiple; 0 where they follow each other. */
  block: number;
}

/** The channels in an order; equal ones by their numbers. */
export function inOrder(channels: readonly Channel[], order: LineupOrder, language: string): Channel[] {
  const text = (one = "", other = "") => one.localeCompare(other, language, { numeric: true });
  const compare: Record<LineupOrder, (one: Channel, other: Channel) => number> = {
    number: () => 0,
    title: (one, other) => text(one.title, other.title),
    category: (one, other) => text(one.category, other.category),
    manual: () => 0,
  };
  if (order === "manual") return [...channels];
  return channels.toSorted(
    (one, other) =>
      compare[order](one, other) || one.channelNumber - other.channelNumber || one.id - other.id,
  );
}

/** The plan after a row was moved manually: the first numbers of categories stay. */
export function byHandAfter(plan: LineupPlan): LineupPlan {
  return { ...plan, order: "manual", block: hasBlocks(plan.order) ? plan.block : 0 };
}

/** The number of each channel, in their order. */
export function numbersOf(channels: readonly Channel[], { order, start, step, block }: LineupPlan): number[] {
  let next = start;
  return channels.map((channel, index) => {
    const before = channels[index - 1];
    const begins = hasBlocks(order) && block > 0 && before && before.category !== channel.category;
    if (begins) next = Math.ceil(next / block) * block;
    const number = next;
    next += step;
    return number;
  });
}
