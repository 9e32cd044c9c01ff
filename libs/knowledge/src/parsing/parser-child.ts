import { type ChildProcess, fork } from 'node:child_process';
import { resolve as absolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentProblem, type ProcessingErrorCode } from '../extract/document-problem.js';
import {
  type FromParser,
  PARSE_HEAP_MB,
  PARSE_MS,
  type ParseFacts,
  type ParseInput,
  type ParseListener,
  type ToParser,
} from './parser-protocol.js';

/** A test runner loads this module as TypeScript; the child is always the built file. */
const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/libs/knowledge/src/parsing/' : './',
  import.meta.url,
);

/** A process that has been used long enough, or has grown, is replaced: what a parser leaks ends with it. */
const MAX_DOCUMENTS = 200;
/** A new process has 60 to 90 MB. The document gets the rest of PARSE_RSS_BYTES. */
const REUSED_RSS_BYTES = 160 * 1024 * 1024;

/** The document in work. */
interface Reading {
  on: ParseListener;
  clock: NodeJS.Timeout;
  /** The child has begun to read it. */
  isBegun: boolean;
  /** The child has ended it, and may read another one. */
  isOver: boolean;
  succeed: (facts: ParseFacts) => void;
  fail: (reason: unknown) => void;
}

/** The process ended while it was idle: the document is not the reason. */
export class ParserEnded extends Error {}

/** The parent's side of a child process that parses one document at a time: any failure of the child affects this document only. */
export class ParserChild {
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private reading: Reading | undefined;
  private documents = 0;
  private rssBytes = 0;
  private hasFailed = false;

  constructor() {
    this.child = fork(fileURLToPath(new URL('parser-process.js', BUILT)), {
      // It parses untrusted files: no secrets, no options and none of our folders.
      env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      cwd: '/',
      execArgv: [`--max-old-space-size=${PARSE_HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.gone = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(this.ended(problemOfExit(code, signal))));
      this.child.once('error', (error) => resolve(this.ended(problemFrom('PARSE_FAILED', error))));
    });
    this.child.on('message', (message: FromParser) => this.onMessage(message));
  }

  /** Whether it may parse another document. */
  get isReusable(): boolean {
    return !this.hasFailed && this.documents < MAX_DOCUMENTS && this.rssBytes < REUSED_RSS_BYTES;
  }

  /**
   * Rejects with the problem of a refused document; with the reason of any other failure when the child has exited; ParserEnded: it
   * had exited before.
   */
  async parse(input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
    let reading!: Reading;
    const outcome = new Promise<ParseFacts>((succeed, fail) => {
      const clock = setTimeout(() => fail(new DocumentProblem('PARSE_TIMEOUT')), PARSE_MS);
      this.reading = reading = { on, clock, isBegun: false, isOver: false, succeed, fail };
    });
    const abort = (): void => reading.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    if (this.hasFailed) this.ended(new ParserEnded());
    this.send({ type: 'read', input: { ...input, path: absolute(input.path) } });
    try {
      return await outcome;
    } catch (error) {
      if (!reading.isOver) await this.end();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      clearTimeout(reading.clock);
      this.documents++;
      this.reading = undefined;
    }
  }

  /** Resolves when the child has exited. */
  end(): Promise<void> {
    this.hasFailed = true;
    this.child.kill('SIGKILL');
    return this.gone;
  }

  /** An idle child does not keep its parent running. */
  rest(isIdle: boolean): void {
    const what = isIdle ? 'unref' : 'ref';
    this.child[what]();
    this.child.channel?.[what]();
  }

  private ended(problem: Error): void {
    this.hasFailed = true;
    // A child that ended between two documents has not seen the next one.
    const isOfDocument = this.documents === 0 || this.reading?.isBegun === true;
    this.reading?.fail(isOfDocument ? problem : new ParserEnded());
  }

  private onMessage(message: FromParser): void {
    const { reading } = this;
    if (!reading) return;
    switch (message.type) {
      case 'begun':
        return void (reading.isBegun = true);
      case 'head':
        return reading.on.head?.(message.head);
      case 'chunks':
        return void this.forward(message, reading).catch(reading.fail);
      case 'parsed':
        return clearTimeout(reading.clock);
      case 'done':
        this.endReading(reading, message.rssBytes);
        return reading.succeed(message.facts);
      case 'failed':
        if (message.rssBytes !== undefined) this.endReading(reading, message.rssBytes);
        return reading.fail(problemFrom(message.code, message.trace, message.sentence));
    }
  }

  private endReading(reading: Reading, rssBytes: number): void {
    reading.isOver = true;
    this.rssBytes = rssBytes;
  }

  private async forward(
    { chunks, fraction }: Extract<FromParser, { type: 'chunks' }>,
    reading: Reading,
  ): Promise<void> {
    await reading.on.chunks(chunks);
    if (fraction > 0) reading.on.progress?.(fraction);
    // The child may have refused this document in the meantime.
    if (this.reading === reading) this.send({ type: 'more' });
  }

  /** A child that has just exited accepts no messages; its exit code explains why. */
  private send(message: ToParser): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}

/**
 * The problem of a child that exited without a result. SIGKILL comes from its watchdog or from the kernel's out-of-memory killer,
 * SIGABRT from V8 when its heap is full.
 */
export function problemOfExit(code: number | null, signal: NodeJS.Signals | null): DocumentProblem {
  const outOfMemory = signal === 'SIGKILL' || signal === 'SIGABRT' || code === 134;
  return problemFrom(outOfMemory ? 'PARSE_MEMORY' : 'PARSE_FAILED', `The parser process ended with ${signal ?? code}.`);
}

function problemFrom(code: ProcessingErrorCode, cause: unknown, sentence?: string): DocumentProblem {
  const problem = new DocumentProblem(code, sentence);
  if (cause !== undefined) problem.cause = cause;
  return problem;
}
