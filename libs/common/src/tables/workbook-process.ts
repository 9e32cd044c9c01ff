import { createWriteStream } from 'node:fs';
import { setPriority } from 'node:os';
import { once } from 'node:events';
import type { WorkbookOutcome } from './workbook.js';
import { BrokenWorkbook, readWorkbook } from './workbook-reader.js';

/** Entry point of the child process: writes the first visible sheet of a workbook as CSV in UTF-8, with a line for each row of the sheet. */

/** The limit of an uploaded CSV file. */
const MAX_BYTES = 268_435_456;
const TOO_LONG = 'The sheet has more than 256 MB as CSV. Split it into several files.';

// Calls and requests have priority on a busy machine.
setPriority(10);
process.once('disconnect', () => process.exit());
const [, , path = '', csvPath = ''] = process.argv;
const problem = await write().then(
  () => null,
  (error: unknown) => (error instanceof BrokenWorkbook ? error.message : 'The workbook is damaged. Save it again.'),
);
process.send?.({ problem } satisfies WorkbookOutcome, () => process.exit());

async function write(): Promise<void> {
  const target = createWriteStream(csvPath, { flags: 'wx', mode: 0o600 });
  let bytes = 0;
  for await (const text of readWorkbook(path)) {
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES) throw new BrokenWorkbook(TOO_LONG);
    if (!target.write(text)) await once(target, 'drain');
  }
  target.end();
  await once(target, 'finish');
}
