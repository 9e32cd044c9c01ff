import { availableParallelism } from 'node:os';
import { percentile, type Measured } from './scale-rounds.js';
import { markdown } from './table.js';

/** A Markdown table of the measurements with one, two and four processes of a kind. */
export function scaleTable(kind: string, measured: readonly Measured[]): string {
  const cores = availableParallelism();
  const head = [
    kind,
    'processes',
    'per second',
    'ratio to one',
    'p50 / p95 / p99 ms',
    `${kind} CPU ms each`,
    'PostgreSQL CPU ms each',
    `cores busy, of ${cores}`,
  ];
  const body = measured.map((one) => [one.work, String(one.processes), ...cells(one, measured)]);
  return markdown(head, body);
}

function cells(one: Measured, all: readonly Measured[]): string[] {
  const single = all.find(({ work, processes }) => work === one.work && processes === 1);
  const ratio = one.rate !== undefined && single?.rate ? one.rate / single.rate : undefined;
  const quantiles = [0.5, 0.95, 0.99].map((share) => percentile(one.times, share).toFixed(1));
  return [
    shown(one.rate, one.rate !== undefined && one.rate < 100 ? 1 : 0),
    shown(ratio, 2),
    one.times.length > 0 ? quantiles.join(' / ') : '',
    shown(one.ownMs, 2),
    shown(one.postgresMs, 2),
    one.busyCores.toFixed(1),
  ];
}

const shown = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';
