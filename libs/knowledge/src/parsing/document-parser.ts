import { Semaphore } from '@app/common';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { ParserChild, ParserEnded } from './parser-child.js';
import type { ParseFacts, ParseInput, ParseListener } from './parser-protocol.js';

/** Parser processes at a time: one core stays free for requests and calls. */
export const PARSER_PROCESSES = Math.max(1, availableParallelism() - 1);

const permits = new Semaphore(PARSER_PROCESSES);

/**
 * Sniffs, extracts and chunks a local file in a child process of its own. Batches arrive in order; the next one is sent when
 * `on.chunks` has resolved. Rejects with a DocumentProblem (including PARSE_TIMEOUT after 30 s of work and PARSE_MEMORY at
 * 700 MB), with the rejection of `on.chunks`, or with the signal's reason; batches may have been delivered before. The child
 * has exited when this settles. At most cores - 1 children run at a time; further calls wait.
 */
export function parseInChildProcess(input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
  return permits.run(() => parseAlone(input, on, signal), signal);
}

async function parseAlone(input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
  const child = new ParserChild();
  try {
    return await child.parse(input, on, signal);
  } finally {
    await child.end();
  }
}

/** Larger documents get a process of their own: their processing takes longer than its start. */
const SMALL_BYTES = 512 * 1024;
/** Idle processes are kept this long. */
const IDLE_MS = 5_000;
/** Processes that work or are idle. Two accounts whose documents take turns keep one each. */
const MOST_PROCESSES = 2 * PARSER_PROCESSES;

interface IdleChild {
  accountId: number;
  child: ParserChild;
  clock: NodeJS.Timeout;
}

/**
 * Parses documents for the pipeline as parseInChildProcess does. The process of a small document stays for further small documents of
 * the same account, because its start costs more than such a document; it is never used for another account. A failure of any
 * kind, growth of its memory or its age ends it.
 */
@Injectable()
export class DocumentParser implements OnApplicationShutdown {
  /** The longest idle first. */
  private readonly idle: IdleChild[] = [];
  private busy = 0;
  private isClosed = false;

  parse(accountId: number, input: ParseInput, on: ParseListener, signal?: AbortSignal): Promise<ParseFacts> {
    return permits.run(async () => {
      // The child reports a file that cannot be read.
      const size = await stat(input.path).then(
        (file) => file.size,
        () => 0,
      );
      this.busy++;
      try {
        if (size <= SMALL_BYTES) return await this.parseWarm(accountId, input, on, signal);
        await this.makeRoom();
        return await parseAlone(input, on, signal);
      } finally {
        this.busy--;
      }
    }, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.idle].map((one) => this.endIdle(one)));
  }

  private async parseWarm(
    accountId: number,
    input: ParseInput,
    on: ParseListener,
    signal?: AbortSignal,
  ): Promise<ParseFacts> {
    const warm = this.takeIdle(accountId);
    if (!warm) await this.makeRoom();
    const child = warm ?? new ParserChild();
    try {
      const facts = await child.parse(input, on, signal);
      await this.keep(accountId, child);
      return facts;
    } catch (error) {
      if (!(warm && error instanceof ParserEnded)) throw error;
      return this.parseWarm(accountId, input, on, signal);
    }
  }

  private takeIdle(accountId: number): ParserChild | undefined {
    const found = this.idle.find((one) => one.accountId === accountId);
    if (!found) return undefined;
    this.forget(found);
    found.child.rest(false);
    return found.child;
  }

  /** For a new process. */
  private async makeRoom(): Promise<void> {
    const [longest] = this.idle;
    if (longest && this.busy + this.idle.length > MOST_PROCESSES) await this.endIdle(longest);
  }

  private async keep(accountId: number, child: ParserChild): Promise<void> {
    if (this.isClosed || !child.isReusable) return child.end();
    const clock = setTimeout(() => void this.endIdle(one), IDLE_MS).unref();
    const one: IdleChild = { accountId, child, clock };
    child.rest(true);
    this.idle.push(one);
  }

  private endIdle(one: IdleChild): Promise<void> {
    this.forget(one);
    return one.child.end();
  }

  private forget(one: IdleChild): void {
    clearTimeout(one.clock);
    this.idle.splice(this.idle.indexOf(one), 1);
  }
}
