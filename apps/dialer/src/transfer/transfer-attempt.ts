import {
  nextTransferStep,
  type TransferEvent,
  type TransferRecord,
  type TransferResult,
  type TransferStage,
} from '@app/calls';
import type { Bridge, CallLeg, LegEnd } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import type { Briefing } from './transfer-briefing.js';
import { failureOf, type TransferLog } from './transfer-record.js';

/** A person who hangs up sooner after the join has not taken the call. */
const SETTLE_MS = 2_000;
/** A failed attempt waits for the end of its leg, which occupies a line of the trunk. */
const LEG_END_MS = 2_000;
/** For the decision about a person or a machine. */
const SCREENING_MS = 15_000;
/** The longest briefing. */
export const MAX_BRIEFING_MS = 90_000;
const PAUSE_MS = 1_000;

interface AttemptParts {
  first: CallLeg;
  second: CallLeg;
  record: TransferRecord;
  log: TransferLog;
  /** Keys that are sent after the answer. */
  extension?: string;
  acceptMs: number;
  /** Begins the private conversation on the second leg. */
  brief(take: (event: TransferEvent | { type: 'briefed' }) => void): Briefing;
  /** The caller hears no ringing and no music any more. */
  quiet(): void;
  /** The second leg of a joined transfer has ended. */
  left(): void;
}

/** One attempt to transfer a call: its second leg, from the dialling to its end. */
export class TransferAttempt {
  /** Resolves when the second leg has ended. */
  readonly ended: Promise<LegEnd>;
  private stage: TransferStage = 'ringing';
  private bridge?: Bridge;
  private briefing?: Briefing;
  private timer?: NodeJS.Timeout;
  private isTaken = false;
  private isCancelled = false;
  private decide!: (result: TransferResult) => void;
  private fail!: (error: unknown) => void;
  private readonly result = new Promise<TransferResult>((resolve, reject) => {
    this.decide = resolve;
    this.fail = reject;
  });

  constructor(private readonly parts: AttemptParts) {
    const { second, record, log } = parts;
    this.result.catch(() => undefined);
    second.on('ringing', () => log.change(record, { status: 'ringing' }));
    second.on('answered', () => this.take({ type: 'answered' }));
    second.on('dtmf', (key) => this.take({ type: 'key', key }));
    this.ended = new Promise<LegEnd>((resolve) => second.on('ended', resolve)).then((end) => this.over(end));
  }

  /** Resolves when the caller is connected. Rejects with ToolFailed; aborting `signal` gives the attempt up. */
  async run(signal: AbortSignal): Promise<void> {
    const cancel = (): void => this.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      await this.outcome();
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Ends the second leg, whatever it does. */
  cancel(cause: LegEnd['cause'] = 'cancelled'): void {
    this.isCancelled = true;
    if (this.stage === 'joined') this.parts.second.hangup(cause);
    else this.take({ type: 'cancelled' });
  }

  get isJoined(): boolean {
    return this.stage === 'joined';
  }

  /** The agent leaves a conference: the two people stay connected. */
  agentLeft(): void {
    const { first, second } = this.parts;
    this.bridge?.release();
    this.bridge = first.bridge(second);
  }

  private async outcome(): Promise<void> {
    const result = await this.result;
    if (result.type !== 'accepted') {
      const end = await Promise.race([this.ended, delay(LEG_END_MS, undefined, { ref: false })]);
      throw failureOf(result, end ?? undefined);
    }
    if (this.parts.record.mode !== 'cold') {
      await this.settled();
      if (this.stage === 'over')
        throw failureOf(this.isCancelled ? { type: 'cancelled' } : { type: 'declined', reason: 'hung_up' });
    }
    this.isTaken = true;
  }

  private async settled(): Promise<void> {
    const isOver = new AbortController();
    const wait = delay(SETTLE_MS, undefined, { ref: false, signal: isOver.signal }).catch(() => undefined);
    await Promise.race([wait, this.ended]);
    isOver.abort();
  }

  private take(event: TransferEvent): void {
    const { record, log } = this.parts;
    const step = nextTransferStep(this.stage, event, record.mode);
    this.stage = step.stage;
    if (step.result?.type === 'declined') log.change(record, { declined_reason: step.result.reason });
    try {
      if (step.action === 'dial_extension') void this.dialExtension();
      else if (step.action === 'screen') this.screen();
      else if (step.action === 'await_decision') this.wait(MAX_BRIEFING_MS + this.parts.acceptMs);
      else if (step.action === 'join') this.join(step.result?.type === 'accepted' ? step.result.by : null);
      else if (step.action === 'hang_up') this.release(step.result?.type === 'declined' ? 'agent_hangup' : 'cancelled');
    } catch (error) {
      this.stage = 'over';
      this.release('cancelled');
      return this.fail(error);
    }
    if (step.stage === 'over') this.stopBriefing();
    if (step.result) this.decide(step.result);
  }

  private async dialExtension(): Promise<void> {
    const { second, record, log, extension = '' } = this.parts;
    const status = record.mode === 'cold' ? record.status : ('briefing' as const);
    log.change(record, { status, answered_at: log.now });
    try {
      for (const [index, keys] of extension.split(',').entries()) {
        if (index > 0) await delay(PAUSE_MS, undefined, { ref: false });
        if (keys !== '' && this.stage === 'connecting') await second.sendDtmf(keys);
      }
      this.take({ type: 'reached' });
    } catch (error) {
      // The leg has ended, or cannot send keys.
      if (this.stage !== 'connecting') return;
      this.stage = 'over';
      this.release('cancelled');
      this.fail(error);
    }
  }

  private screen(): void {
    this.wait(SCREENING_MS);
    this.briefing = this.parts.brief((event) => {
      if (event.type === 'briefed') this.wait(this.parts.acceptMs);
      else this.take(event);
    });
  }

  /** Restarts the time for a decision. */
  private wait(ms: number): void {
    clearTimeout(this.timer);
    if (this.stage === 'screening' || this.stage === 'briefing')
      this.timer = setTimeout(() => this.take({ type: 'waited' }), ms);
  }

  /** The briefing ends before the bridge exists: the messages reach the media thread in this order. */
  private join(by: TransferRecord['accepted_by']): void {
    const { first, second, record, log } = this.parts;
    this.stopBriefing();
    this.parts.quiet();
    this.bridge = record.mode === 'conference' ? first.bridge(second, true) : first.bridge(second);
    log.change(record, { status: 'in_progress', joined_at: log.now, accepted_by: by });
  }

  private stopBriefing(): void {
    clearTimeout(this.timer);
    this.briefing?.stop();
  }

  private release(cause: LegEnd['cause']): void {
    this.stopBriefing();
    this.parts.second.hangup(cause);
  }

  private over(end: LegEnd): LegEnd {
    const { record, log } = this.parts;
    const wasJoined = this.stage === 'joined';
    this.take({ type: 'leg_ended' });
    this.bridge?.release();
    const isTooShort = wasJoined && !this.isTaken && record.mode !== 'cold';
    if (isTooShort && !this.isCancelled) log.change(record, { declined_reason: 'hung_up' });
    log.ended(record, end);
    if (wasJoined && !isTooShort) this.parts.left();
    return end;
  }
}
