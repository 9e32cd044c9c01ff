import { once } from 'node:events';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DocumentProblem } from '../extract/document-problem.js';
import { type FromParser, PARSE_RSS_BYTES, type ParseInput, type ToParser } from './parser-protocol.js';
import { ChunkOutbox } from './chunk-outbox.js';
import { parseDocument } from './parse-document.js';

/** The program of the child process: reads one document for its parent and exits. */
process.once('disconnect', () => process.exit());
// Calls and requests have priority on busy processors: a document may take some seconds longer.
setPriority(10);
const outbox = new ChunkOutbox(send);
process.on('message', (message: ToParser) => {
  if (message.type === 'more') outbox.more();
  else void read(message.input);
});

async function read(input: ParseInput): Promise<void> {
  try {
    await watchMemory();
    const facts = await parseDocument(input, {
      chunks: (chunks) => outbox.add(chunks),
      progress: (fraction) => (outbox.fraction = fraction),
    });
    send({ type: 'parsed' });
    await outbox.finish();
    send({ type: 'done', facts });
  } catch (error) {
    send(failure(error));
  }
}

async function watchMemory(): Promise<void> {
  const watchdog = new Worker(new URL('./memory-watchdog.js', import.meta.url), {
    workerData: { rssBytes: PARSE_RSS_BYTES, parent: process.ppid },
  });
  watchdog.unref();
  await once(watchdog, 'online');
}

function send(message: FromParser): void {
  process.send?.(message);
}

/** What a parser throws by itself, it throws because of the file, unless the file could not be opened. */
function failure(error: unknown): FromParser {
  if (error instanceof DocumentProblem) return { type: 'failed', code: error.code, sentence: error.sentence };
  const ours = error instanceof Error && 'syscall' in error;
  return { type: 'failed', code: ours ? 'PARSE_FAILED' : 'FILE_CORRUPT', trace: traceOf(error) };
}

/** Kind and places; an error's message may quote the document. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const places = error.stack?.match(/^ {4}at .*/gm) ?? [];
  return [error.name, ...places.slice(0, 8)].join('\n');
}
