import { fork } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KeyedSemaphore, Semaphore } from '../scheduling/semaphore.js';
import { UnreadableTable } from './csv-records.js';

/** A test runner loads this module as TypeScript; the child is always the built file. */
const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/libs/common/src/tables/' : './',
  import.meta.url,
);
const HEAP_MB = 384;
const MAX_MS = 60_000;
const TOO_LARGE = 'The workbook is too large to be read. Save it as CSV (UTF-8) and import that file.';
const OLD_OR_LOCKED =
  'The file is an old Excel workbook (.xls) or has a password. Save it as .xlsx without a password, or as CSV (UTF-8).';

/** What the child process says at its end. */
export type WorkbookOutcome = { problem: string | null };

/** A workbook may take a minute: those of one account wait for each other, and leave a place to the others. */
const ofAccount = new KeyedSemaphore<number>(1);
const permits = new Semaphore(2);

/** A file that an account has uploaded. */
export interface UploadedTable {
  accountId: number;
  path: string;
}

/**
 * Runs `work` with the path of a CSV file: the file itself, or the first visible sheet of an Excel workbook (.xlsx). A child process without
 * secrets converts the sheet, so that a hostile file can cost no more than its limits of memory and time. Throws UnreadableTable.
 */
export async function withCsvFile<T>(
  { accountId, path }: UploadedTable,
  work: (csvPath: string) => Promise<T>,
): Promise<T> {
  const kind = await kindOf(path);
  if (kind === 'text') return work(path);
  if (kind === 'compound') throw new UnreadableTable(OLD_OR_LOCKED);
  const csvPath = join(dirname(path), `csv-${basename(path)}`);
  try {
    const turn = await ofAccount.acquire(accountId);
    try {
      await permits.run(() => convert(resolve(path), resolve(csvPath)));
    } finally {
      turn();
    }
    return await work(csvPath);
  } finally {
    await rm(csvPath, { force: true });
  }
}

async function kindOf(path: string): Promise<'text' | 'zip' | 'compound'> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    const magic = buffer.subarray(0, bytesRead).toString('hex');
    if (magic.startsWith('504b0304')) return 'zip';
    return magic === 'd0cf11e0a1b11ae1' ? 'compound' : 'text';
  } finally {
    await file.close();
  }
}

async function convert(path: string, csvPath: string): Promise<void> {
  const child = fork(fileURLToPath(new URL('workbook-process.js', BUILT)), [path, csvPath], {
    // It parses untrusted files: no secrets, no options and none of our folders.
    env: { LANG: 'C.UTF-8', TZ: 'UTC' },
    cwd: '/',
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  let outcome: WorkbookOutcome | undefined;
  child.on('message', (message: WorkbookOutcome) => void (outcome = message));
  await once(child, 'exit');
  // Without a word it was killed: by its limit of time, or of memory.
  if (!outcome) throw new UnreadableTable(TOO_LARGE);
  if (outcome.problem !== null) throw new UnreadableTable(outcome.problem);
}
