// How many months take an expired subscription past now: what the credit dialog suggests. The ledger decides what an
// operation does; this only counts, by its rule: all months at once, clamped to the last day of the month.

export function creditsToReachToday(expiration: string | null, now = new Date()): number | undefined {
  if (!expiration) return undefined;
  const start = new Date(expiration);
  if (Number.isNaN(start.getTime()) || start >= now) return undefined;
  // Never more than one month off, on account of the days of the month.
  const months =
    (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth();
  return [months, months + 1].find((count) => count > 0 && addMonths(start, count) >= now);
}

function addMonths(start: Date, count: number): Date {
  const moved = new Date(start);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return moved;
}
