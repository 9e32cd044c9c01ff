import type { Verdict } from './checker.js';

export interface Bar {
  duplicates: number;
  /** What else has to hold, in words; what does not is in `missed`. */
  also?: string;
}

export interface Findings extends Verdict {
  /** Webhooks that were committed. */
  events: number;
  /** Bars beside those of the checker that were missed, each a sentence. */
  missed: string[];
  /** What was measured beside them. */
  measured?: string;
}

/** How often a row repeats its fault, and how long it may take for that. */
export interface Scale {
  times: number;
  /** A dead worker's leases are ended by hand instead of being waited for. */
  short?: boolean;
}

/** One fault, tried on a service of its own. */
export interface Row {
  name: string;
  /** What is done, as the table says it. */
  fault: string;
  /** In the full matrix. */
  times: number;
  bar: (times: number) => Bar;
  /** It has a bar on time: nothing else runs beside it. */
  alone?: boolean;
  /** Why it cannot be run here. */
  skip?: () => string | undefined;
  run: (scale: Scale) => Promise<Findings>;
}

/** The bars that were missed, each a sentence. Nothing may ever be lost, out of order or altered. */
export function missedBars(bar: Bar, found: Findings): string[] {
  const counted = [
    [found.lost, 0, 'lost'],
    [found.duplicates, bar.duplicates, 'duplicates'],
    [found.outOfOrder, 0, 'out of order'],
    [found.altered, 0, 'altered'],
  ] as const;
  const over = counted.filter(([seen, most]) => seen > most).map(([seen, most, what]) => `${seen} ${what} (${most})`);
  return [...over, ...found.missed];
}
