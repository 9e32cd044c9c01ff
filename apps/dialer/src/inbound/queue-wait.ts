import type { NumberQueue } from '@app/accounts';
import type { CallerTurn, OwnedCall } from '@app/calls';
import { createDeferred } from '@app/common';
import { metrics } from '@app/metrics';
import type { LegEnd } from '@app/telephony';
import type { CallClock } from '../call/call-clock.js';
import type { CallerAudio } from '../media/caller-audio.js';
import type { EventWriter } from '../call/event-writer.js';
import { queueAnnouncement } from './queue-announcement.js';
import type { QueuedCallersService } from './queued-callers.service.js';

/** `ended`: the leg is over. */
type QueueOutcome = 'served' | 'timeout' | 'ended';

/** An answered caller that waits for a free place. */
interface QueuedCaller {
  call: OwnedCall;
  accountId: number;
  queue: NumberQueue;
  audio: Pick<CallerAudio, 'say'>;
  /** The end of the leg. */
  ended: Promise<LegEnd>;
  clock: CallClock;
  events: Pick<EventWriter, 'add'>;
}

/** The wait of one caller: its positions become events and announcements. */
export class QueueWait {
  private readonly startedAt = performance.now();
  private position?: number;
  private isOver = false;
  private readonly outcome = createDeferred<QueueOutcome>();
  private next?: NodeJS.Timeout;

  constructor(
    private readonly callers: Pick<QueuedCallersService, 'join'>,
    private readonly caller: QueuedCaller,
  ) {}

  /** Resolves when the wait is over. */
  async wait(): Promise<QueueOutcome> {
    const { call, accountId, queue, ended, clock, events } = this.caller;
    const leave = this.callers.join(call, accountId, (turn) => this.take(turn));
    const limit = setTimeout(() => this.outcome.resolve('timeout'), queue.max_wait_seconds * 1_000);
    void ended.then(() => this.outcome.resolve('ended'));
    const outcome = await this.outcome.promise;
    this.isOver = true;
    leave();
    clearTimeout(limit);
    clearTimeout(this.next);
    const isAbandoned = outcome === 'ended' && (await ended).endedBy === 'caller';
    const shown = isAbandoned ? 'abandoned' : outcome;
    const waitedMs = Math.round(performance.now() - this.startedAt);
    metrics.queueWaitSeconds.observe({ outcome: shown }, waitedMs / 1_000);
    events.add({ at: clock.now(), type: 'queue_left', data: { outcome: shown, waited_ms: waitedMs } });
    return outcome;
  }

  private take(turn: CallerTurn): void {
    if (turn.served) return this.outcome.resolve('served');
    const { position } = turn;
    if (position === this.position) return;
    const isFirst = this.position === undefined;
    this.position = position;
    this.caller.events.add({ at: this.caller.clock.now(), type: 'queue_position', data: { position } });
    if (isFirst) this.announce();
  }

  /** The present position, and again some seconds after its end. */
  private announce(): void {
    const { audio, queue } = this.caller;
    if (!queue.announce.position || this.position === undefined || this.isOver) return;
    const { text, language } = queueAnnouncement(queue.announce, this.position);
    const again = (): void => {
      if (!this.isOver) this.next = setTimeout(() => this.announce(), queue.announce.every_seconds * 1_000);
    };
    void audio.say(text, language).then(again);
  }
}
