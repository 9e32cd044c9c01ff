import { isoTime, type Log } from '@app/common';
import type { OwnedCall, TransferContext, TransferRecord } from '@app/calls';
import { RINGBACK_TASK, type Bridge, type CallLeg, type LegEnd } from '@app/telephony';
import { ToolFailed, TRANSFER_TOOL, type ToolContext, type VoiceTool } from '@app/voice';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from './call-context.service.js';
import type { CallRecordsService } from './call-records.service.js';
import { referTo, referral } from './referral.js';
import type { TelephonyService } from './telephony.service.js';
import { redirectAllowed, transferRefusal } from './destination-policy.js';
import { ended, failureOf, newTransfer, statusOf } from './transfer-record.js';

/** The longest ringing of a second leg: the caller is on the line and hears it. */
const LONGEST_RING_MS = 60_000;
/** Of the tool, beyond the ringing: look-ups, a place on the trunk, the far end's last words. */
const SLACK_MS = 20_000;
/** A model that does not take no for an answer must not go on dialling for as long as the call lasts. */
export const MOST_TRANSFERS = 10;

type TransferTarget = NonNullable<CallContext['settings']['transfer']>;

/** What a transfer needs of the call that it belongs to. */
interface TransferredCall {
  call: OwnedCall;
  context: CallContext;
  /** The first leg, once it has audio. */
  leg: () => CallLeg | undefined;
  /** The time of day, by the clock of the call. */
  now: () => Date;
  /** When the call has lasted as long as it may, in ms of that clock. */
  endsAt: () => number;
  /** For the call's events. */
  note: (data: Record<string, unknown>) => void;
}

/** The transfers of one call: a second leg of ours that is joined with the first, or a REFER where the trunk wants that. */
export class CallTransfer {
  /** Oldest first; kept on the call. */
  readonly transfers: TransferRecord[] = [];
  /** The remote party is connected to the transfer target. */
  handedOver = false;
  private second?: { leg: CallLeg; ended: Promise<LegEnd>; bridge?: Bridge };
  private limit?: NodeJS.Timeout;
  /** One at a time: a model may ask for two in one breath. */
  private trying = false;
  private isWriteDue = false;
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly telephony: Pick<TelephonyService, 'caps' | 'dial'>,
    private readonly records: Pick<CallRecordsService, 'transferContext' | 'claimTransfer' | 'recordTransfers'>,
    private readonly log: Pick<Log, 'error'>,
    private readonly line: TransferredCall,
  ) {}

  /** None when the call may not be transferred, or the engine cannot. */
  tools(): VoiceTool[] {
    const { bridge, refer } = this.telephony.caps;
    if (!this.line.context.settings.transfer || !(bridge || refer)) return [];
    return [
      {
        ...TRANSFER_TOOL,
        timeoutMs: this.ringMs + SLACK_MS,
        takesLine: true,
        run: (_args, context) => this.run(context),
      },
    ];
  }

  /** The first leg has ended: the second goes with it, and its end is on record when this resolves. */
  async over(end: LegEnd): Promise<void> {
    clearTimeout(this.limit);
    this.second?.leg.hangup(end.cause);
    await this.second?.ended;
    await this.storing;
  }

  private now(): string {
    return isoTime(this.line.now());
  }

  private get ringMs(): number {
    return Math.min(this.line.context.ring_timeout_seconds * 1_000, LONGEST_RING_MS);
  }

  private async run(context: ToolContext): Promise<unknown> {
    const leg = this.line.leg();
    const target = this.line.context.settings.transfer;
    if (!leg || !target || this.trying || this.handedOver)
      throw new ToolFailed('not_possible', 'The call cannot be transferred now.');
    if (this.transfers.length >= MOST_TRANSFERS)
      throw new ToolFailed('not_possible', 'The call has been tried to transfer too often.');
    this.trying = true;
    try {
      await this.handOver(leg, target, context.signal);
    } finally {
      this.trying = false;
    }
    context.control.handOver();
    return { transferred: true };
  }

  private async handOver(leg: CallLeg, target: TransferTarget, signal: AbortSignal): Promise<void> {
    const plan = await this.records.transferContext(this.line.call, target.caller_id_number_id);
    if (!plan) throw new ToolFailed('not_possible', 'The call is over.');
    const refusal = transferRefusal(plan, target.phone_number);
    if (refusal) throw this.refused(target.phone_number, refusal);
    if (!plan.trunk)
      throw this.refused(target.phone_number, 'service_unavailable', 'There is no SIP trunk to call over.');
    const byRefer = plan.trunk.transfer === 'refer' && this.telephony.caps.refer;
    await (byRefer ? this.refer(leg, plan, signal) : this.dial(leg, plan, signal));
    this.handedOver = true;
  }

  /** What could not even be tried is on record, too. */
  private refused(to: string, cause: string, message = 'Calls to this number are not allowed.'): ToolFailed {
    this.keep({
      ...newTransfer(to, null, 'bridge', this.now()),
      status: 'failed',
      ended_at: this.now(),
      hangup_cause: cause,
    });
    return new ToolFailed(cause, message);
  }

  private async dial(first: CallLeg, plan: TransferContext, signal: AbortSignal): Promise<void> {
    const to = this.line.context.settings.transfer!.phone_number;
    const trunk = { id: plan.trunk_id!, accountId: plan.account_id };
    const dialIn = await this.records.claimTransfer(this.line.call, trunk);
    if (dialIn === undefined) throw this.refused(to, 'concurrency_limit', 'All lines are taken.');
    const record = this.keep(newTransfer(to, plan.caller_id, 'bridge', this.now()));
    try {
      await delay(dialIn, undefined, { signal });
      await this.callSecond(first, plan, record, signal);
    } catch (error) {
      this.giveUp(record, signal);
      throw error;
    }
  }

  private async callSecond(
    first: CallLeg,
    plan: TransferContext,
    record: TransferRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const { call, context } = this.line;
    const leg = this.telephony.dial(call, plan.trunk!, {
      legId: `${call.id}/transfer-${this.transfers.length}`,
      destination: { kind: 'e164', number: record.to_number },
      from: { number: plan.caller_id },
      anonymous: context.settings.anonymous ?? false,
      divertedFrom: plan.diverted_from,
      ringTimeoutMs: this.ringMs,
      redirectAllowed: (uri) => redirectAllowed(plan, uri),
      near: first,
    });
    const answered = new Promise<true>((resolve) => leg.on('answered', () => resolve(true)));
    const over = new Promise<LegEnd>((resolve) => leg.on('ended', resolve)).then((end) =>
      this.secondEnded(first, record, end),
    );
    this.second = { leg, ended: over };
    leg.on('ringing', () => this.change(record, { status: 'ringing' }));
    const cancel = (): void => leg.hangup('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    const tone = first.attach(RINGBACK_TASK, {});
    const outcome = await Promise.race([answered, over]);
    tone.post('stop');
    signal.removeEventListener('abort', cancel);
    if (outcome !== true) throw failureOf(outcome);
    this.join(first, record);
  }

  /** Hangs up a second leg that was not joined, and releases its place on the trunk. */
  private giveUp(record: TransferRecord, { aborted }: AbortSignal): void {
    if (this.second) return this.second.leg.hangup('cancelled');
    if (record.ended_at === null)
      this.change(record, { status: aborted ? 'cancelled' : 'failed', ended_at: this.now() });
  }

  private join(first: CallLeg, record: TransferRecord): void {
    const { second } = this;
    if (!second) throw new ToolFailed('not_transferred', 'The other party hung up.');
    second.bridge = first.bridge(second.leg);
    this.change(record, { status: 'in_progress', answered_at: this.now() });
    this.limit = setTimeout(
      () => first.hangup('max_duration'),
      Math.max(0, this.line.endsAt() - this.line.now().getTime()),
    );
  }

  /** The database may take its time; the caller is not left with it. */
  private secondEnded(first: CallLeg, record: TransferRecord, end: LegEnd): LegEnd {
    const joined = this.second?.bridge;
    joined?.release();
    this.second = undefined;
    this.change(record, ended(record, end, this.now()));
    if (joined) first.hangup('transferred');
    return end;
  }

  /** The far end places the call by itself, and shows whatever number it likes; ours ends when that was answered. */
  private async refer(first: CallLeg, plan: TransferContext, signal: AbortSignal): Promise<void> {
    const to = this.line.context.settings.transfer!.phone_number;
    const record = this.keep(newTransfer(to, null, 'refer', this.now()));
    const status = await referral(first, referTo(to, plan.trunk!), signal).catch((error: unknown) => {
      this.change(record, { status: 'failed', ended_at: this.now() });
      throw error;
    });
    const succeeded = status !== undefined && status < 300;
    const outcome = succeeded
      ? { status: 'completed' as const, answered_at: this.now() }
      : { status: statusOf(status) };
    this.change(record, { ...outcome, ended_at: this.now(), sip_code: status ?? null });
    if (!succeeded) throw new ToolFailed('not_transferred', 'The other party could not be reached.');
    // After the tool's result, which is the last message to the agent.
    setImmediate(() => first.hangup('transferred'));
  }

  private keep(record: TransferRecord): TransferRecord {
    this.transfers.push(record);
    this.store(record);
    return record;
  }

  private change(record: TransferRecord, change: Partial<TransferRecord>): void {
    Object.assign(record, change);
    this.store(record);
  }

  /** One after the other: the last one written is the last one that happened. */
  private store({ status, method, hangup_cause, sip_code }: TransferRecord): void {
    this.line.note({ status, method, hangup_cause, sip_code });
    if (this.isWriteDue) return;
    this.isWriteDue = true;
    this.storing = this.storing.then(() => this.write());
  }

  private async write(): Promise<void> {
    this.isWriteDue = false;
    const live = this.transfers.at(-1)?.ended_at === null;
    const { call } = this.line;
    try {
      await this.records.recordTransfers(call, this.transfers, live);
    } catch (err) {
      this.log.error({ err, call_id: call.id }, 'a transfer could not be recorded');
    }
  }
}
