import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CallEventsRepository, type NewEvents, type ReadPosition } from './call-events.repository.js';
import { type CallEventView, callEventView } from '../presenters/call-event.presenter.js';

/** Interval of the statements while there are watchers. */
const TICK_MS = 250;
/** Interval while a watcher reads old events page by page: it limits the load of the database. */
const CATCH_UP_MS = 20;

/** Why a watcher receives no more events. */
type WatchEnd = 'call_over' | 'call_gone' | 'closing';

export interface CallWatcher {
  accountId: number;
  callId: string;
  /** Number of the last event that the watcher received. */
  after: number;
  /** Returns false to pause until `resume`. */
  take(event: CallEventView): boolean;
  end(reason: WatchEnd): void;
}

interface Watched {
  watcher: CallWatcher;
  after: number;
  paused: boolean;
}

export interface Watching {
  /** The watcher is ready for events again. */
  resume(): void;
  /** `take` and `end` are not called afterwards. */
  stop(): void;
}

/**
 * Polls the events of calls for all watchers of this process: one statement every quarter of a second while there are watchers.
 * LISTEN does not work through a transaction pooler. Each watcher has a position, so that late and slow watchers receive every event
 * once; watchers at the same position share the rows.
 */
@Injectable()
export class CallEventPollerService implements OnModuleDestroy {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, on the clock of performance.now(). */
  private due = Infinity;
  private running: Promise<void> | undefined;
  private failing = false;
  private closed = false;
  /** A watcher has more events to read. */
  private hasMore = false;

  constructor(
    private readonly events: CallEventsRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Calls `end` once, at the latest when the process stops; never after `stop`. */
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

  /** Ends all watching; resolves when no statement is running. */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    for (const one of this.watched) this.end(one, 'closing');
    await this.running;
  }

  /** Schedules the next poll in at most `ms`. */
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
      const { byReader, hasMore } = await this.events.newEvents(groups.map(positionOf));
      this.failing = false;
      this.hasMore ||= hasMore;
      for (const [index, changes] of byReader) {
        for (const one of groups[index] ?? []) this.pass(one, changes);
      }
    } catch (err) {
      if (!this.failing) this.log.error({ err }, 'the events of calls could not be read');
      this.failing = true;
    }
  }

  private pass(one: Watched, { events, isDeleted, lastSeq }: NewEvents): void {
    for (const row of events) {
      if (!this.watched.has(one)) return;
      const event = callEventView(row);
      one.after = row.seq;
      if (!event || one.watcher.take(event)) continue;
      one.paused = true;
      break;
    }
    if (isDeleted) this.end(one, 'call_gone');
    else if (lastSeq !== null && one.after >= lastSeq) this.end(one, 'call_over');
  }

  private end(one: Watched, reason: WatchEnd): void {
    if (this.watched.delete(one)) one.watcher.end(reason);
  }
}

const positionOf = ([one]: readonly Watched[]): ReadPosition => ({
  accountId: one!.watcher.accountId,
  callId: one!.watcher.callId,
  after: one!.after,
});

/** Watchers of the same call at the same position. */
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
