import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CallWordsRepository, type RunningTurn } from './call-words.repository.js';

const TICK_MS = 250;
const RENEW_MS = 10_000;

interface WordsReader {
  accountId: number;
  callId: string;
  /** Gets the running turns after each change. */
  words(turns: readonly RunningTurn[]): void;
}

/**
 * The words of running turns on their way to the streams of other processes, through one row per watched call. Words are not events:
 * they are lost without harm, and the `turn` event replaces them.
 */
@Injectable()
export class CallWordsService implements OnModuleDestroy {
  private readonly readers = new Map<WordsReader, { version: number }>();
  private polling: PeriodicTask | undefined;
  private renewAt = 0;

  constructor(
    private readonly words: CallWordsRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Reads the words of a call for one stream. Returns a function that ends it. */
  follow(reader: WordsReader): () => void {
    this.readers.set(reader, { version: 0 });
    this.renewAt = 0;
    this.polling ??= runPeriodically(TICK_MS, () => this.poll(), this.log);
    return () => {
      this.readers.delete(reader);
      if (this.readers.size === 0) this.stop();
    };
  }

  /** Those of the calls that a stream watches. */
  watchedOf(callIds: readonly string[]): Promise<string[]> {
    return this.words.watchedOf(callIds);
  }

  /** Replaces the running turns of calls. */
  write(calls: ReadonlyMap<string, readonly RunningTurn[]>): Promise<void> {
    return this.words.write([...calls].map(([callId, turns]) => ({ call_id: callId, turns: [...turns] })));
  }

  /** The calls have ended. */
  remove(callIds: readonly string[]): Promise<void> {
    return this.words.remove(callIds);
  }

  onModuleDestroy(): void {
    this.readers.clear();
    this.stop();
  }

  private stop(): void {
    void this.polling?.stop();
    this.polling = undefined;
  }

  private async poll(): Promise<void> {
    const readers = [...this.readers];
    if (performance.now() >= this.renewAt) {
      this.renewAt = performance.now() + RENEW_MS;
      await this.words.watch([...new Set(readers.map(([{ callId }]) => callId))]);
    }
    const positions = readers.map(([{ accountId, callId }, { version }]) => ({ accountId, callId, version }));
    for (const [index, { version, turns }] of await this.words.newWords(positions)) {
      const [reader, position] = readers[index]!;
      position.version = version;
      if (this.readers.has(reader)) reader.words(turns);
    }
  }
}
