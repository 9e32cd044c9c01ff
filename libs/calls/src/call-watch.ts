import type { Log } from '@app/common';
import type { Pool } from 'pg';
import { type CallEventRow, type CallEventView, callEventView } from './call-event-view.js';
import { newsOfCalls, type WatchedPlace } from './call-news.js';

/** How often is looked while somebody watches. */
const TICK_MS = 250;
/** While somebody reads what happened long ago: a page after the other, but not as fast as the database can. */
const CATCH_UP_MS = 20;

/** Why no more events come. */
export type WatchEnd = 'call_over' | 'call_gone' | 'closing';

export interface CallWatcher {
  accountId: number;
  callId: string;
  /** Number of the last event that it has. */
  after: number;
  /** Returns false when it wants no more until `resume`. */
  take(event: CallEventView): boolean;
  end(reason: WatchEnd): void;
}

interface Watched {
  watcher: CallWatcher;
  after: number;
  paused: boolean;
}

export interface Watching {
  /** It takes events again. */
  resume(): void;
  /** Nothing is taken and nothing ends any more. */
  stop(): void;
}

/**
 * Follows the events of calls for everybody in this process who watches some: one statement every quarter of a second, for all
 * of them together, while there is anybody. No LISTEN, which does not pass a pooler of transactions. Each watcher has a place
 * of its own, so that nothing is lost or doubled when it comes late or reads slowly; those at the same place share the rows.
 */
export class CallWatch {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, of performance.now(). */
  private due = Infinity;
  private running: Promise<void> | undefined;
  private failing = false;
  private closed = false;
  /** Somebody has more to read than was given. */
  private hasMore = false;

  constructor(
    private readonly pool: Pool,
    private readonly log: Log,
  ) {}

  get size(): number {
    return this.watched.size;
  }

  /** `end` is called once, at the latest when this closes; never after `stop`. */
  watch(watcher: CallWatcher): Watching {
    const one: Watched = { watcher, after: watcher.after, paused: false };
    if (this.closed) {
      watcher.end('closing');
      return { resume: () => undefined, stop: () => undefined };
    }
    this.watched.add(one);
    this.schedule(0);
    return {
      resume: () => {
        one.paused = false;
        this.schedule(CATCH_UP_MS);
      },
      stop: () => void this.watched.delete(one),
    };
  }

  /** Ends everybody's watching; resolves when nothing is asked of the database any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    for (const one of this.watched) this.end(one, 'closing');
    await this.running;
  }

  /** Looks in `ms` at the latest. */
  private schedule(ms: number): void {
    if (this.closed) return;
    if (this.running) {
      this.hasMore ||= ms < TICK_MS;
      return;
    }
    const due = performance.now() + ms;
    if (due >= this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.run(), ms);
  }

  private run(): void {
    this.due = Infinity;
    this.running = this.tick().finally(() => {
      this.running = undefined;
      if (this.watched.size > 0) this.schedule(this.hasMore ? CATCH_UP_MS : TICK_MS);
    });
  }

  private async tick(): Promise<void> {
    this.hasMore = false;
    const groups = groupsOf([...this.watched].filter((one) => !one.paused));
    if (groups.length === 0) return;
    try {
      const news = await newsOfCalls(this.pool, groups.map(placeOf));
      this.failing = false;
      this.hasMore ||= news.hasMore;
      for (const [place, { events, state }] of news.of) {
        for (const one of groups[place] ?? []) this.give(one, events, state);
      }
    } catch (err) {
      if (!this.failing) this.log.error({ err }, 'the events of calls could not be looked up');
      this.failing = true;
    }
  }

  private give(one: Watched, events: readonly CallEventRow[], state: { gone: boolean; overAt: number | null }): void {
    for (const row of events) {
      if (!this.watched.has(one)) return;
      const event = callEventView(row);
      one.after = row.seq;
      if (!event || one.watcher.take(event)) continue;
      one.paused = true;
      break;
    }
    if (state.gone) this.end(one, 'call_gone');
    else if (state.overAt !== null && one.after >= state.overAt) this.end(one, 'call_over');
  }

  private end(one: Watched, reason: WatchEnd): void {
    if (this.watched.delete(one)) one.watcher.end(reason);
  }
}

const placeOf = ([one]: readonly Watched[]): WatchedPlace => ({
  accountId: one!.watcher.accountId,
  callId: one!.watcher.callId,
  after: one!.after,
});

/** Watchers of the same call at the same place. */
function groupsOf(watched: readonly Watched[]): Watched[][] {
  const groups = new Map<string, Watched[]>();
  for (const one of watched) {
    const key = `${one.watcher.accountId} ${one.watcher.callId} ${one.after}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}
