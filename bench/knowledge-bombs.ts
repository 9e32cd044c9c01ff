import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { DocumentProblem, parseInChildProcess, type DocumentType } from '@app/knowledge';
import { dataPath, testData } from '../test/support/test-data.js';
import { table } from './table.js';

const MB = 1024 * 1024;
const BARS = { seconds: 35, megabytes: 50, lagMs: 100 };

interface Blow {
  file: string;
  megabytes: number;
  outcome: string;
  seconds: number;
  /** Growth of the parent's memory and its longest event-loop pause. */
  grownMb: number;
  lagMs: number;
}

/** Hostile documents, each parsed as in the worker, and the effect on this process. */
export async function run(): Promise<void> {
  if (testData === undefined) return console.log('  skipped: no test data (TRUNKLINE_TEST_DATA)');
  const folder = await mkdtemp(join(tmpdir(), 'bombs-'));
  try {
    await promisify(execFile)('python3', [dataPath('bombs', 'gen.py')], { cwd: folder });
    report(await blows(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function blows(folder: string): Promise<Blow[]> {
  const found: Blow[] = [];
  for (const file of (await readdir(folder)).toSorted()) found.push(await blow(folder, file));
  return found;
}

async function blow(folder: string, file: string): Promise<Blow> {
  const path = join(folder, file);
  const { size } = await stat(path);
  const before = process.memoryUsage.rss();
  let most = before;
  const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const started = performance.now();
  const outcome = await outcomeOf(path, extname(file).slice(1) as DocumentType);
  const seconds = (performance.now() - started) / 1_000;
  delay.disable();
  clearInterval(sampler);
  return { file, megabytes: size / MB, outcome, seconds, grownMb: (most - before) / MB, lagMs: delay.max / 1e6 - 5 };
}

async function outcomeOf(path: string, type: DocumentType): Promise<string> {
  try {
    const { chunks } = await parseInChildProcess({ path, type }, { chunks: () => Promise.resolve() });
    return `read, ${chunks} chunks`;
  } catch (error) {
    if (error instanceof DocumentProblem) return error.code;
    throw error;
  }
}

function report(found: Blow[]): void {
  console.log(`Hostile documents (${found.length}), each in a child process`);
  table(
    ['file', 'MB', 'seconds', 'parent MB', 'parent lag ms', 'outcome'],
    found.map(({ file, megabytes, seconds, grownMb, lagMs, outcome }) => [
      file,
      megabytes.toFixed(1),
      seconds.toFixed(1),
      `+${grownMb.toFixed(0)}`,
      lagMs.toFixed(0),
      outcome,
    ]),
  );
  const most = (of: (one: Blow) => number): string => Math.max(...found.map(of)).toFixed(0);
  console.log(
    `  maximum: ${most((one) => one.seconds)} s (bar ${BARS.seconds}), +${most((one) => one.grownMb)} MB (bar ${BARS.megabytes}), ` +
      `${most((one) => one.lagMs)} ms (bar ${BARS.lagMs})`,
  );
}
