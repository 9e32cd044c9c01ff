import {
  nextTransferStep,
  type TransferEvent,
  type TransferRecord,
  type TransferResult,
  type TransferStage,
} from '@app/calls';
import { createDeferred } from '@app/common';
import type { Bridge, CallLeg, LegEnd } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import type { Briefing, Briefings } from './transfer-briefing.js';
import { failureOf, type TransferLog } from './transfer-record.js';
import type { TransferRequest } from './transfer-request.js';
import type { WaitingTone } from './waiting-tone.js';

/** A person who hangs up sooner after the join has not taken the call. */
const SETTLE_MS = 2_000;
/** A failed attempt waits for the end of its leg, which occupies a line of the trunk. */
const LEG_END_MS = 2_000;
/** For the decision about a person or a machine. */
const SCREENING_MS = 15_000;
/** The longest briefing. */
export const MAX_BRIEFING_MS = 90_000;
const PAUSE_MS = 1_000;

interface AttemptedTransfer {
  first: CallLeg;
  second: CallLeg;
  record: TransferRecord;
  log: TransferLog;
  request: TransferRequest;
  /** Keys that are sent after the answer. */
  extension?: string;
  /** Absent: the transfer is cold. */
  briefings?: Pick<Briefings, 'begin'>;
  /** Ends with the join. */
  tone: WaitingTone;
  /** `colleague` may have changed. */
  onChange?: () => void;
}

/** The end of the second leg. `hasLeft`: its person had taken the call. */
interface AttemptEnd {
  end: LegEnd;
  hasLeft: boolean;
}

/** One attempt to transfer a call: its second leg, from the dialling to its end. */
export class TransferAttempt {
  /** Resolves when the second leg has ended. */
  readonly ended: Promise<AttemptEnd>;
  private readonly result = createDeferred<TransferResult>();
  private stage: TransferStage = 'ringing';
  /** The caller is connected for good. */
  private isTaken = false;
  private isCancelled = false;
  private bridge?: Bridge;
  private briefing?: Briefing;
  /** For a decision. */
  private timer?: NodeJS.Timeout;

  constructor(private readonly attempted: AttemptedTransfer) {
    const { second, record, log } = attempted;
    // The leg may fail before `run`.
    this.result.promise.catch(() => undefined);
    second.on('ringing', () => log.change(record, { status: 'ringing' }));
    second.on('answered', () => this.take({ type: 'answered' }));
    second.on('dtmf', (key) => this.take({ type: 'key', key }));
    this.ended = new Promise<LegEnd>((resolve) => second.on('ended', resolve)).then((end) => this.finish(end));
  }

  /** Resolves when the caller is connected. Rejects with ToolFailed; aborting `signal` gives the attempt up. */
  async run(signal: AbortSignal): Promise<void> {
    const cancel = (): void => this.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      await this.connect();
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Ends the second leg, whatever it does. */
  cancel(cause: LegEnd['cause'] = 'cancelled'): void {
    this.isCancelled = true;
    if (this.isJoined) this.attempted.second.hangup(cause);
    else this.take({ type: 'cancelled' });
  }

  get isJoined(): boolean {
    return this.stage === 'joined';
  }

  /** The leg of the person of a warm transfer or a conference who can be spoken to in private. */
  get colleague(): CallLeg | undefined {
    const { second, record } = this.attempted;
    const isThere = this.stage === 'screening' || this.stage === 'briefing' || this.isJoined;
    return isThere && record.mode !== 'cold' ? second : undefined;
  }

  /** The agent leaves a conference: the two people stay connected. */
  releaseAgent(): void {
    const { first, second } = this.attempted;
    this.bridge?.release();
    this.bridge = first.bridge(second);
  }

  private async connect(): Promise<void> {
    const result = await this.result.promise;
    if (result.type !== 'accepted') {
      const over = await Promise.race([this.ended, delay(LEG_END_MS, undefined, { ref: false })]);
      throw failureOf(result, over?.end);
    }
    if (this.attempted.record.mode !== 'cold') {
      await this.settle();
      if (this.stage === 'over')
        throw failureOf(this.isCancelled ? { type: 'cancelled' } : { type: 'declined', reason: 'hung_up' });
    }
    this.isTaken = true;
  }

  private async settle(): Promise<void> {
    const isOver = new AbortController();
    const wait = delay(SETTLE_MS, undefined, { ref: false, signal: isOver.signal }).catch(() => undefined);
    await Promise.race([wait, this.ended]);
    isOver.abort();
  }

  private take(event: TransferEvent): void {
    const { record, log, request } = this.attempted;
    const step = nextTransferStep(this.stage, event, record.mode);
    this.stage = step.stage;
    if (step.result?.type === 'declined') log.change(record, { declined_reason: step.result.reason });
    try {
      if (step.action === 'dial_extension') void this.dialExtension();
      else if (step.action === 'screen') this.screen();
      else if (step.action === 'await_decision') this.wait(MAX_BRIEFING_MS + request.acceptMs);
      else if (step.action === 'join') this.join(step.result?.type === 'accepted' ? step.result.by : null);
      else if (step.action === 'hang_up') this.hangUp(step.result?.type === 'declined' ? 'agent_hangup' : 'cancelled');
    } catch (error) {
      return this.fail(error);
    }
    if (step.stage === 'over') this.stopBriefing();
    if (step.result) this.result.resolve(step.result);
    this.attempted.onChange?.();
  }

  private async dialExtension(): Promise<void> {
    const { second, record, log, extension = '' } = this.attempted;
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
      if (this.stage === 'connecting') this.fail(error);
    }
  }

  private screen(): void {
    const { second, record, request, briefings } = this.attempted;
    if (!briefings) throw new Error('A cold transfer has no briefing.');
    this.wait(SCREENING_MS);
    this.briefing = briefings.begin(second, request, record, (event) => {
      if (event.type === 'briefed') this.wait(request.acceptMs);
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
    const { first, second, record, log, tone } = this.attempted;
    this.stopBriefing();
    tone.stop();
    this.bridge = record.mode === 'conference' ? first.bridge(second, true) : first.bridge(second);
    log.change(record, { status: 'in_progress', joined_at: log.now, accepted_by: by });
  }

  private fail(error: unknown): void {
    this.stage = 'over';
    this.hangUp('cancelled');
    this.result.reject(error);
  }

  private hangUp(cause: LegEnd['cause']): void {
    this.stopBriefing();
    this.attempted.second.hangup(cause);
  }

  private stopBriefing(): void {
    clearTimeout(this.timer);
    this.briefing?.stop();
  }

  private finish(end: LegEnd): AttemptEnd {
    const { record, log } = this.attempted;
    const wasJoined = this.isJoined;
    this.take({ type: 'leg_ended' });
    this.bridge?.release();
    const isTooShort = wasJoined && !this.isTaken && record.mode !== 'cold';
    if (isTooShort && !this.isCancelled) log.change(record, { declined_reason: 'hung_up' });
    log.end(record, end);
    return { end, hasLeft: wasJoined && !isTooShort };
  }
}
