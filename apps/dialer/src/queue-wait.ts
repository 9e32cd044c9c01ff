import type { NumberQueue } from '@app/accounts';
import type { CallerTurn, OwnedCall } from '@app/calls';
import { metrics } from '@app/metrics';
import type { LegEnd } from '@app/telephony';
import type { CallerAudio } from './caller-audio.js';
import type { EventWriter } from './event-writer.js';
import { queueAnnouncement } from './queue-announcement.js';
import type { WaitingCallers } from './waiting-callers.js';

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
  now: () => Date;
  events: Pick<EventWriter, 'add'>;
}

/** The wait of one caller: its positions become events and announcements. */
export class QueueWait {
  private readonly startedAt = performance.now();
  private position?: number;
  private isAnnouncing = false;
  private settle: (outcome: QueueOutcome) => void = () => undefined;
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly callers: Pick<WaitingCallers, 'join'>,
    private readonly caller: QueuedCaller,
  ) {}

  async over(): Promise<QueueOutcome> {
    const { call, accountId, queue, ended, now, events } = this.caller;
    const leave = this.callers.join(call, accountId, (turn) => this.take(turn));
    this.after(queue.max_wait_seconds, () => this.settle('timeout'));
    let end: LegEnd | undefined;
    const outcome = await new Promise<QueueOutcome>((resolve) => {
      this.settle = resolve;
      void ended.then((legEnd) => {
        end = legEnd;
        resolve('ended');
      });
    });
    leave();
    this.timers.forEach(clearTimeout);
    const shown = outcome !== 'ended' ? outcome : end?.endedBy === 'caller' ? 'abandoned' : 'ended';
    const waitedMs = Math.round(performance.now() - this.startedAt);
    metrics.queueWaitSeconds.observe({ outcome: shown }, waitedMs / 1_000);
    events.add({ at: now(), type: 'queue_left', data: { outcome: shown, waited_ms: waitedMs } });
    return outcome;
  }

  private take(turn: CallerTurn): void {
    if (turn.served) return this.settle('served');
    const { position } = turn;
    if (position === this.position) return;
    const isFirst = this.position === undefined;
    this.position = position;
    this.caller.events.add({ at: this.caller.now(), type: 'queue_position', data: { position } });
    if (isFirst) this.announce();
  }

  /** The present position, and again some seconds after its end. */
  private announce(): void {
    const { audio, queue } = this.caller;
    if (!queue.announce.position || this.isAnnouncing || this.position === undefined) return;
    this.isAnnouncing = true;
    const { text, language } = queueAnnouncement(queue.announce, this.position);
    void audio.say(text, language).then(() => {
      this.isAnnouncing = false;
      this.after(queue.announce.every_seconds, () => this.announce());
    });
  }

  private after(seconds: number, work: () => void): void {
    this.timers.push(setTimeout(work, seconds * 1_000));
  }
}
