// Restores what is selected of several kinds: an operation is about one, so there is one for each, one after the other.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../../../api/client";
import { newId } from "../../../api/newId";
import type { Problem } from "../../../api/problem";
import { isUnknown } from "../../../api/unknownOutcome";
import { changedLists } from "../../../operations/changedLists";
import {
  type Operation,
  type OperationRequest,
  useBeginOperation,
  useCancelOperation,
  whenEnded,
} from "../../../operations/queries";
import { useDryRuns } from "../../../operations/useDryRuns";
import type { RowId } from "../../../ui/list/useSelection";
import { useIsMounted } from "../../../ui/useIsMounted";
import type { RecordedKind } from "../history/labels";
import { trashKey } from "../queries";

/** In this order they are restored: what others refer to comes first. */
const order: readonly RecordedKind[] = [
  "categories",
  "tv-guides",
  "tv-channels",
  "radio-stations",
  "documentaries",
  "movies",
  "concerts",
  "sports",
  "tv-shows",
  "seasons",
  "episodes",
];

/** Kinds that others refer to. */
const referredTo: readonly RecordedKind[] = ["categories", "tv-guides", "tv-shows"];

type Selected = Pick<OperationRequest, "ids" | "filter">;

/** What is selected of one kind. */
export interface KindPart {
  kind: RecordedKind;
  selected: Selected;
}

export interface Restoration extends KindPart {
  preview?: Operation;
  /** What restores it; undefined where it was not begun. */
  operation?: Operation;
  /** Whether the request for that operation was sent. */
  isSent?: boolean;
  /** Of the preview or, once it is sent, of the operation. */
  problem?: Problem;
}

const inOrder = (one: KindPart, other: KindPart) => order.indexOf(one.kind) - order.indexOf(other.kind);

/** The selected entries by kind; the id of an entry names both, as items of two kinds may have the same. */
export function partsOf(entries: readonly RowId[]): KindPart[] {
  const ids = new Map<RecordedKind, number[]>();
  for (const entry of entries) {
    const [, kind = "", id] = /^(.*)-(\d+)$/.exec(String(entry)) ?? [];
    const known = ids.get(kind as RecordedKind) ?? [];
    ids.set(kind as RecordedKind, [...known, Number(id)]);
  }
  return [...ids].map(([kind, ids]) => ({ kind, selected: { ids } })).sort(inOrder);
}

/** Of these kinds, those of which the trash has anything that the filter finds. */
export async function partsThatMatch(
  kinds: readonly RecordedKind[],
  filter: NonNullable<Selected["filter"]>,
): Promise<KindPart[]> {
  const counts = kinds.map(async (kind) => {
    const query = { ...(filter as Record<string, string>), kind, _size: 1 };
    return { kind, total: (await call("get", "/trash", { query })).totalElements };
  });
  const found = (await Promise.all(counts)).filter(({ total }) => total > 0);
  return found.map(({ kind }) => ({ kind, selected: { filter } })).sort(inOrder);
}

const changedBy = ({ preview }: Restoration) => preview?.counts.changed ?? 0;

/** Whether something was refused that may refer to what is restored before it. */
export function mayFollow(part: Restoration, parts: readonly Restoration[]): boolean {
  const before = parts.slice(0, parts.indexOf(part));
  const isReferredTo = (other: Restoration) => referredTo.includes(other.kind) && changedBy(other) > 0;
  return (part.preview?.counts.refused ?? 0) > 0 && before.some(isReferredTo);
}

/** The request for its operation has no answer: it may have begun. */
export const isUnanswered = ({ isSent, operation, problem }: Restoration) =>
  isSent === true && operation === undefined && problem !== undefined && isUnknown(problem);

/** Its preview failed: nothing of it was confirmed. */
export const isLeftOut = ({ isSent = false, problem }: Restoration) => !isSent && problem !== undefined;

/** Its operation reached each of its items: one that was cancelled or has failed may not have. */
export const isComplete = ({ operation, problem }: Restoration) =>
  operation !== undefined &&
  !problem &&
  (operation.state === "FINISHED" || operation.done >= operation.total);

/** Those of which something is restored, or may be. */
const runnable = (parts: readonly Restoration[]) =>
  parts.filter((part) => !part.problem && (changedBy(part) > 0 || mayFollow(part, parts)));

type Phase = "previewing" | "ready" | "running" | "ended";

export function useRestorations(findParts: () => Promise<KindPart[]>) {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>("previewing");
  const [parts, setParts] = useState<readonly Restoration[]>([]);
  /** The preview or the operation that is under way. */
  const [current, setCurrent] = useState<{ kind: RecordedKind; id: number }>();
  /** The parts are not known. */
  const [failure, setFailure] = useState<Problem>();
  const begin = useBeginOperation(useDryRuns(phase === "previewing" ? current?.id : undefined));
  const cancel = useCancelOperation();
  const isBegun = useRef(false);
  const isStopped = useRef(false);
  /** What has begun and not ended; between two kinds, nothing. */
  const underWay = useRef<number>(undefined);
  const isOpen = useIsMounted();
  /** The idempotency key of what restores a kind: sent again, it is executed once. */
  const keys = useRef(new Map<RecordedKind, string>());
  const keyOf = (kind: RecordedKind) => {
    const key = keys.current.get(kind) ?? newId();
    keys.current.set(kind, key);
    return key;
  };

  const update = (kind: RecordedKind, news: Partial<Restoration>) =>
    setParts((before) => before.map((part) => (part.kind === kind ? { ...part, ...news } : part)));

  /** Begins an operation of each part, when that of the one before has ended. */
  const each = async (
    some: readonly Restoration[],
    as: "preview" | "operation",
    more: (part: Restoration) => Pick<OperationRequest, "dryRun" | "expectedCount">,
  ) => {
    for (const part of some) {
      if (!isOpen.current || isStopped.current) break;
      const { kind, selected } = part;
      try {
        const request = { resource: kind, ...selected, action: { type: "RESTORE" as const }, ...more(part) };
        const idempotencyKey = as === "operation" ? keyOf(kind) : undefined;
        if (as === "operation") update(kind, { isSent: true });
        const begun = await begin.mutateAsync({ request, idempotencyKey });
        underWay.current = begun.id;
        // It was stopped before it had an id.
        if (as === "operation" && isStopped.current) cancel.mutate(begun.id);
        setCurrent({ kind, id: begun.id });
        update(kind, { [as]: begun });
        update(kind, { [as]: await whenEnded(client, begun.id) });
      } catch (problem) {
        update(kind, { problem: problem as Problem });
      } finally {
        underWay.current = undefined;
      }
      if (as === "operation")
        for (const queryKey of [trashKey, ...changedLists(kind)]) void client.invalidateQueries({ queryKey });
    }
    setCurrent(undefined);
  };

  const preview = async () => {
    try {
      const found = await findParts();
      setParts(found);
      await each(found, "preview", () => ({ dryRun: true }));
    } catch (problem) {
      setFailure(problem as Problem);
    }
    setPhase("ready");
  };
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    void preview();
  });

  /** Restores them, as many as were confirmed; without that count, none. */
  const restore = async (some: readonly Restoration[]) => {
    setPhase("running");
    const confirmed = some.filter(({ preview }) => preview !== undefined);
    await each(confirmed, "operation", ({ preview }) => ({ dryRun: false, expectedCount: preview?.total }));
    setPhase("ended");
  };

  return {
    phase,
    parts,
    current,
    failure: failure ?? cancel.error ?? undefined,
    /** How many will be restored. */
    count: runnable(parts).reduce((sum, part) => sum + changedBy(part), 0),
    run: () => restore(runnable(parts)),
    /** Those whose request has no answer. */
    retry: () => {
      const unanswered = parts.filter(isUnanswered);
      for (const { kind } of unanswered) update(kind, { problem: undefined });
      isStopped.current = false;
      cancel.reset();
      return restore(unanswered);
    },
    isStopping: cancel.isPending,
    /** What was restored stays so; the kinds that are left are not begun. */
    stop: () => {
      isStopped.current = true;
      if (underWay.current !== undefined) cancel.mutate(underWay.current);
    },
  };
}
