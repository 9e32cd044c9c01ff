import { fork, type ChildProcess } from 'node:child_process';
import { resolve as absolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentProblem, type ProcessingErrorCode } from '../extract/document-problem.js';
import { PARSE_HEAP_MB, PARSE_MS } from './limits.js';
import type { FromReader, ToReader } from './messages.js';
import type { ReadingFacts, ReadingInput, ReadingListener } from './reading.js';

/** A test runner loads this module as TypeScript; the child it starts is the built one. */
const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/libs/knowledge/src/reading/' : './',
  import.meta.url,
);

/** A child process that reads one document, seen from its parent: whatever happens in it, only this reading ends. */
export class ReadingProcess {
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private readonly clock: NodeJS.Timeout;
  private readonly outcome: Promise<ReadingFacts>;
  private succeed!: (facts: ReadingFacts) => void;
  private fail!: (reason: unknown) => void;

  constructor(
    input: ReadingInput,
    private readonly on: ReadingListener,
  ) {
    this.outcome = new Promise((resolve, reject) => ([this.succeed, this.fail] = [resolve, reject]));
    this.child = fork(fileURLToPath(new URL('reader.js', BUILT)), {
      // It parses what strangers wrote: no secrets, no options and no folder of ours.
      env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      cwd: '/',
      execArgv: [`--max-old-space-size=${PARSE_HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.clock = setTimeout(() => this.fail(new DocumentProblem('PARSE_TIMEOUT')), PARSE_MS);
    this.gone = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(this.fail(problemOfExit(code, signal))));
      this.child.once('error', (error) => resolve(this.fail(problemFrom('PARSE_FAILED', error))));
    });
    this.child.on('message', (message: FromReader) => this.hear(message));
    this.tell({ type: 'read', input: { ...input, path: absolute(input.path) } });
  }

  /** Settles when the child is gone. */
  async read(signal?: AbortSignal): Promise<ReadingFacts> {
    const abort = (): void => this.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.outcome;
    } finally {
      signal?.removeEventListener('abort', abort);
      clearTimeout(this.clock);
      this.child.kill('SIGKILL');
      await this.gone;
    }
  }

  private hear(message: FromReader): void {
    switch (message.type) {
      case 'chunks':
        return void this.handOn(message).catch(this.fail);
      case 'parsed':
        return clearTimeout(this.clock);
      case 'done':
        return this.succeed(message.facts);
      case 'failed':
        return this.fail(problemFrom(message.code, message.trace, message.sentence));
    }
  }

  private async handOn({ chunks, fraction }: Extract<FromReader, { type: 'chunks' }>): Promise<void> {
    await this.on.chunks(chunks);
    if (fraction > 0) this.on.progress?.(fraction);
    this.tell({ type: 'more' });
  }

  /** A child that has just ended takes nothing more; its exit says why. */
  private tell(message: ToReader): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}

/**
 * How a reading ended that said nothing. SIGKILL comes from its own watchdog or from the kernel out of memory, SIGABRT from
 * V8 when its heap is full.
 */
export function problemOfExit(code: number | null, signal: NodeJS.Signals | null): DocumentProblem {
  const outOfMemory = signal === 'SIGKILL' || signal === 'SIGABRT' || code === 134;
  return problemFrom(outOfMemory ? 'PARSE_MEMORY' : 'PARSE_FAILED', `The reader ended with ${signal ?? code}.`);
}

function problemFrom(code: ProcessingErrorCode, cause: unknown, sentence?: string): DocumentProblem {
  const problem = new DocumentProblem(code, sentence);
  if (cause !== undefined) problem.cause = cause;
  return problem;
}
