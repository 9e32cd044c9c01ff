import type { Verdict } from './checker.js';

export interface Bar {
  duplicates: number;
  /** Further bars in words; missed ones are listed in `missed`. */
  also?: string;
}

export interface Findings extends Verdict {
  /** Number of committed webhooks. */
  events: number;
  /** Missed bars in addition to those of the checker, one sentence each. */
  missed: string[];
  /** Further measurements. */
  measured?: string;
}

/** How often a row repeats its fault. */
export interface Scale {
  times: number;
}

/** One fault, injected into a separate service. */
export interface Row {
  name: string;
  /** Description of the fault in the table. */
  fault: string;
  /** Repetitions, unless `--repeat` says otherwise: few, because the matrix runs with every `.ci/run`. */
  times: number;
  bar: (times: number) => Bar;
  /** The row has a time bar and runs alone. */
  alone?: boolean;
  /** Why the row cannot run on this machine. */
  skip?: () => string | undefined;
  run: (scale: Scale) => Promise<Findings>;
}

/** The missed bars, one sentence each. No webhook may be lost, out of order or altered. */
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
