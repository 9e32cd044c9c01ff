import { QUARTER_MS, quarterOf } from './intervals.js';
import { PEAK_COLUMNS, PEAK_DIMENSIONS, type PeakDimension } from './query.js';

/** A call in progress: from the first INVITE to its end, in milliseconds. */
export interface CallSpan extends Record<(typeof PEAK_COLUMNS)[PeakDimension], number | string | null> {
  start: number;
  end: number;
}

export interface Peak {
  dimension: PeakDimension | 'all';
  value: string;
  bucket: number;
  peak: number;
}

/** The quarters of an hour that a span touches. The end is excluded, but a call without duration counts as well. */
export function quartersOf({ start, end }: Pick<CallSpan, 'start' | 'end'>): number[] {
  const quarters: number[] = [];
  for (let quarter = quarterOf(start); quarter < Math.max(end, start + 1); quarter += QUARTER_MS)
    quarters.push(quarter);
  return quarters;
}

/** The exact maximum of calls in progress at once in a quarter, of all calls and by value of each dimension. */
export function peaksIn(quarter: number, spans: readonly CallSpan[]): Peak[] {
  const groups = new Map<string, Pick<Peak, 'dimension' | 'value'> & { spans: CallSpan[] }>();
  const add = (dimension: Peak['dimension'], value: string, span: CallSpan): void => {
    const name = `${dimension} ${value}`;
    const group = groups.get(name) ?? { dimension, value, spans: [] };
    group.spans.push(span);
    groups.set(name, group);
  };
  for (const span of spans) {
    add('all', '', span);
    for (const dimension of PEAK_DIMENSIONS) add(dimension, String(span[PEAK_COLUMNS[dimension]] ?? 0), span);
  }
  return [...groups.values()].map(({ dimension, value, spans: own }) => ({
    dimension,
    value,
    bucket: quarter,
    peak: mostAtOnce(own, quarter, quarter + QUARTER_MS),
  }));
}

function mostAtOnce(spans: readonly Pick<CallSpan, 'start' | 'end'>[], from: number, to: number): number {
  const changes: [at: number, change: 1 | -1][] = spans
    .filter(({ start, end }) => start < to && Math.max(end, start + 1) > from)
    .flatMap(({ start, end }) => [
      [Math.max(start, from), 1],
      [Math.max(end, start + 1), -1],
    ]);
  // A call that ends at the moment at which another one starts is over.
  changes.sort(([a, change], [b, other]) => a - b || change - other);
  let [now, most] = [0, 0];
  for (const [, change] of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
