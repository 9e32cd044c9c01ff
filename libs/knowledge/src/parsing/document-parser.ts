import { Semaphore } from '@app/common';
import { Injectable } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import {
  type FromParser,
  PARSE_HEAP_MB,
  PARSE_MS,
  type ParseFacts,
  type ParseInput,
  type ParseListener,
  type ToParser,
} from './parser-protocol.js';
import { type ChildProcess, fork } from 'node:child_process';
import { resolve as absolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentProblem, type ProcessingErrorCode } from '../extract/document-problem.js';

/** Parser processes at a time: one core stays free for requests and calls. */
export const PARSER_PROCESSES = Math.max(1, availableParallelism() - 1);
const permits = new Semaphore(PARSER_PROCESSES);

/**
 * Sniffs, extracts and chunks a local file in a separate child process. Batches arrive in order; the next one is sent when
 * `on.chunks` has resolved. Rejects with a DocumentProblem (including PARSE_TIMEOUT after 30 s of work and PARSE_MEMORY at
 * 700 MB), with the rejection of `on.chunks`, or with the signal's reason; batches may have been delivered before. The child
 * has exited when this settles. At most cores - 1 children run at a time; further calls wait.
 */
export function parseInChildProcess(input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
  return permits.run(() => new ParserProcess(input, on).read(signal), signal);
}

/** Parses documents for the pipeline, see parseInChildProcess. */
@Injectable()
export class DocumentParser {
  parse(input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
    return parseInChildProcess(input, on, signal);
  }
}

/** A test runner loads this module as TypeScript; the child is always the built file. */
const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/libs/knowledge/src/parsing/' : './',
  import.meta.url,
);

/** The parent's side of a child process that parses one document: any failure of the child affects this document only. */
class ParserProcess {
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private readonly clock: NodeJS.Timeout;
  private readonly outcome: Promise<ParseFacts>;
  private succeed!: (facts: ParseFacts) => void;
  private fail!: (reason: unknown) => void;

  constructor(
    input: ParseInput,
    private readonly on: ParseListener,
  ) {
    this.outcome = new Promise((resolve, reject) => ([this.succeed, this.fail] = [resolve, reject]));
    this.child = fork(fileURLToPath(new URL('parser-process.js', BUILT)), {
      // It parses untrusted files: no secrets, no options and none of our folders.
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
    this.child.on('message', (message: FromParser) => this.onMessage(message));
    this.send({ type: 'read', input: { ...input, path: absolute(input.path) } });
  }

  /** Settles when the child has exited. */
  async read(signal?: AbortSignal): Promise<ParseFacts> {
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

  private onMessage(message: FromParser): void {
    switch (message.type) {
      case 'head':
        return this.on.head?.(message.head);
      case 'chunks':
        return void this.forward(message).catch(this.fail);
      case 'parsed':
        return clearTimeout(this.clock);
      case 'done':
        return this.succeed(message.facts);
      case 'failed':
        return this.fail(problemFrom(message.code, message.trace, message.sentence));
    }
  }

  private async forward({ chunks, fraction }: Extract<FromParser, { type: 'chunks' }>): Promise<void> {
    await this.on.chunks(chunks);
    if (fraction > 0) this.on.progress?.(fraction);
    this.send({ type: 'more' });
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
