// Rows that are put elsewhere by dragging, or by the keys of their handle.
import { type DragEvent, type KeyboardEvent, useState } from "react";

/** How far a key moves a row. */
const distances: Record<string, number> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The place to which a key moves a row; `undefined` where it moves none. */
export function placeByKey(event: KeyboardEvent, from: number, count: number): number | undefined {
  const distance = distances[event.key];
  if (distance === undefined) return undefined;
  event.preventDefault();
  const to = Math.max(0, Math.min(count - 1, from + distance));
  return to === from ? undefined : to;
}

/** What a row takes that is dragged over others; dropped on another, it takes that one's place. */
export function useDraggedRows(onMove: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  return (index: number, name: string) => ({
    draggable: true,
    "data-dragged": dragged === index || undefined,
    "data-over": over === index || undefined,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", name);
      setDragged(index);
    },
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(index);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      if (dragged !== undefined && dragged !== index) onMove(dragged, index);
    },
    onDragEnd: () => {
      setDragged(undefined);
      setOver(undefined);
    },
  });
}

/** The list with one of its members at another place. */
export function moved<T>(all: readonly T[], from: number, to: number): T[] {
  const place = Math.max(0, Math.min(all.length - 1, to));
  const rest = all.filter((_, index) => index !== from);
  return [...rest.slice(0, place), all[from] as T, ...rest.slice(place)];
}
