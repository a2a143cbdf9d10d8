// The axis of a chart of whole numbers: where it begins and ends, and which round values it names.

export interface Scale {
  min: number;
  max: number;
  ticks: number[];
}

const wantedSteps = 4;

export function scaleOf(values: readonly number[]): Scale {
  const lowest = Math.min(0, ...values);
  const highest = Math.max(0, ...values);
  const step = roundStep((highest - lowest) / wantedSteps);
  const first = Math.floor(lowest / step);
  // Even where nothing happened the axis has a height.
  const last = Math.max(Math.ceil(highest / step), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { min: first * step, max: last * step, ticks };
}

/** The next of 1, 2, 5, 10, 20, 50… */
function roundStep(rough: number): number {
  if (rough <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10) * power;
}

/** How far up a value is, in percent of the axis. */
export function heightOf(value: number, { min, max }: Scale): number {
  return ((value - min) / (max - min)) * 100;
}
