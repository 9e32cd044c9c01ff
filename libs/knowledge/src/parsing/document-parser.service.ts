import { Semaphore } from '@app/common';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { ParserChild, ParserEnded } from './parser-child.js';
import type { ParseFacts, ParseInput, ParseListener } from './parser-protocol.js';

/** Parser processes at a time: one core stays free for requests and calls. */
export const PARSER_PROCESSES = Math.max(1, availableParallelism() - 1);

/** Documents of a worker in work at a time; more than parsers, because fetching and embedding mostly wait. */
export const DOCUMENTS_AT_ONCE = PARSER_PROCESSES + 3;

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
/** Processes that work or are idle: each account with a document in work keeps its own. */
const MAX_PROCESSES = DOCUMENTS_AT_ONCE;
/** For this time after the start of its process, an account is preferred. */
const PREFERRED_MS = 2_000;

/** A process for the small documents of one account. */
interface WarmChild {
  accountId: number;
  child: ParserChild;
  startedAt: number;
  /** Ends it; while it is idle. */
  clock?: NodeJS.Timeout;
}

/**
 * Parses documents for the pipeline as parseInChildProcess does. The process of a small document stays for further small documents of
 * the same account, because its start costs more than such a document; it is never used for another account. A failure other than
 * the refusal of a document, growth of its memory or its age ends it.
 */
@Injectable()
export class DocumentParserService implements OnApplicationShutdown {
  /** The longest idle first. */
  private readonly idle: WarmChild[] = [];
  private readonly reading = new Set<WarmChild>();
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

  /**
   * The accounts whose processes have started in the last two seconds: claims prefer them to others whose turn it is as well. If
   * many accounts took turns by document, each document would need a new process.
   */
  get preferredAccounts(): number[] {
    const since = performance.now() - PREFERRED_MS;
    const young = [...this.idle, ...this.reading].filter(({ startedAt }) => startedAt > since);
    return young.map(({ accountId }) => accountId);
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
    const idle = this.takeIdle(accountId);
    if (!idle) await this.makeRoom();
    const warm = idle ?? { accountId, child: new ParserChild(), startedAt: performance.now() };
    this.reading.add(warm);
    try {
      return await warm.child.parse(input, on, signal);
    } catch (error) {
      if (!(idle && error instanceof ParserEnded)) throw error;
      return await this.parseWarm(accountId, input, on, signal);
    } finally {
      this.reading.delete(warm);
      await this.keep(warm);
    }
  }

  private takeIdle(accountId: number): WarmChild | undefined {
    const found = this.idle.find((one) => one.accountId === accountId);
    if (!found) return undefined;
    this.forget(found);
    found.child.rest(false);
    return found;
  }

  /** For a new process. */
  private async makeRoom(): Promise<void> {
    const [longest] = this.idle;
    if (longest && this.busy + this.idle.length > MAX_PROCESSES) await this.endIdle(longest);
  }

  private async keep(one: WarmChild): Promise<void> {
    if (this.isClosed || !one.child.isReusable) return one.child.end();
    one.clock = setTimeout(() => void this.endIdle(one), IDLE_MS).unref();
    one.child.rest(true);
    this.idle.push(one);
  }

  private endIdle(one: WarmChild): Promise<void> {
    this.forget(one);
    return one.child.end();
  }

  private forget(one: WarmChild): void {
    clearTimeout(one.clock);
    this.idle.splice(this.idle.indexOf(one), 1);
  }
}
