import { parseArgs } from 'node:util';
import { migrateWithBuild } from '../support/built-command.js';
import { startTestServer } from '../support/postgres-server.js';
import { MATRIX } from './matrix.js';
import type { Row } from './row.js';
import { problemsOf, table, type Result } from './table.js';

/** Rows without a time bar mostly wait for leases and processes, so several run in parallel. */
const SIDE_BY_SIDE = 4;
/** They take one and a half to two minutes and begin first, so that none of them runs alone at the end. */
const LONGEST = [
  'worker-killed-document',
  'rolling-restart',
  'worker-killed-5xx',
  'worker-killed',
  'database-reset',
  'worker-stopped',
];

/**
 * Runs the rows whose names contain one of the arguments (default: all), prints the table, and sets the exit code. `--repeat N` injects each
 * fault that the matrix repeats N times instead.
 */
async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { repeat: { type: 'string' } }, allowPositionals: true });
  const isWanted = ({ name }: Row): boolean =>
    positionals.length === 0 || positionals.some((part) => name.includes(part));
  const rows = MATRIX.filter(isWanted).map((row) => repeated(row, values.repeat));
  const server = await startTestServer(migrateWithBuild);
  process.env.DATABASE_URL = server.url;
  const results: Result[] = [];
  const began = performance.now();
  try {
    await inLanes(longestFirst(rows.filter(({ alone }) => !alone)), SIDE_BY_SIDE, results);
    await inLanes(
      rows.filter(({ alone }) => alone),
      1,
      results,
    );
  } finally {
    await server.stop();
  }
  results.sort((one, other) => rows.indexOf(one.row) - rows.indexOf(other.row));
  console.log(`\n${table(results)}\n\n${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const failed = results.filter((result) => problemsOf(result).length > 0).length;
  const skipped = results.filter((result) => result.skipped !== undefined);
  for (const { row, skipped: why } of skipped) console.log(`SKIPPED: ${row.fault}: ${why}`);
  const totals = `${results.length - failed - skipped.length} passed, ${failed} failed`;
  console.log(skipped.length === 0 ? totals : `${totals}, ${skipped.length} skipped`);
  process.exitCode = failed === 0 && results.length > 0 ? 0 : 1;
}

function repeated(row: Row, repeat: string | undefined): Row {
  if (repeat === undefined || row.times === 1) return row;
  const times = Number(repeat);
  if (!Number.isInteger(times) || times < 1)
    throw new Error(`--repeat must be a whole number from 1, and not ${repeat}.`);
  return { ...row, times };
}

const longestFirst = (rows: readonly Row[]): Row[] => {
  const place = ({ name }: Row): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return rows.toSorted((one, other) => place(one) - place(other));
};

async function inLanes(rows: readonly Row[], lanes: number, results: Result[]): Promise<void> {
  const left = [...rows];
  const lane = async (): Promise<void> => {
    for (let row = left.shift(); row; row = left.shift()) results.push(await tried(row));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function tried(row: Row): Promise<Result> {
  const began = performance.now();
  const result = await attempt(row);
  const seconds = (performance.now() - began) / 1_000;
  const problems = problemsOf({ ...result, seconds });
  const word = result.skipped ? `skipped (${result.skipped})` : problems.length > 0 ? problems.join('; ') : 'ok';
  console.log(`${row.name}: ${word}, ${seconds.toFixed(0)} s`);
  if (result.error) console.log(result.error);
  return { ...result, seconds };
}

async function attempt(row: Row): Promise<Omit<Result, 'seconds'>> {
  const skipped = row.skip?.();
  if (skipped) return { row, skipped };
  try {
    return { row, found: await row.run({ times: row.times }) };
  } catch (error) {
    return { row, error: error instanceof Error ? error : new Error('thrown', { cause: error }) };
  }
}

await main(process.argv.slice(2));
