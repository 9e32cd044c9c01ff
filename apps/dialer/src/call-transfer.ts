import type { DialTrunk } from '@app/accounts';
import type { OwnedCall, TransferContext, TransferRecord } from '@app/calls';
import { isoTime, type Log } from '@app/common';
import { type Bridge, type CallLeg, type LegEnd, RINGBACK_TASK, type TransferProgress } from '@app/telephony';
import { TRANSFER_TOOL, type ToolContext, ToolFailed, type VoiceTool } from '@app/voice';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from './call-context.service.js';
import type { CallRecordsService } from './call-records.service.js';
import { mayFollow, transferRefusal } from './dial-request.js';
import type { TelephonyService } from './telephony.service.js';
import { ended, failureOf, newTransfer, statusOf } from './transfer-record.js';

/** The longest ringing of a second leg; the caller hears it meanwhile. */
const LONGEST_RING_MS = 60_000;
/** Time of the tool beyond the ringing: look-ups, a free line of the trunk, the last reports of the remote party. */
const SLACK_MS = 20_000;
/** Bounds the attempts of a model that ignores refusals. */
export const MOST_TRANSFERS = 10;

const LISTED = 'This number is on the do-not-call list.';

type TransferTarget = NonNullable<CallContext['settings']['transfer']>;

/** The call of a transfer. */
interface TransferredCall {
  call: OwnedCall;
  context: CallContext;
  /** The first leg, once it has audio. */
  leg: () => CallLeg | undefined;
  /** The time of day on the clock of the call. */
  now: () => Date;
  /** The time at which the call reaches its longest duration, in ms of that clock. */
  endsAt: () => number;
  /** Adds an event to the call. */
  note: (data: Record<string, unknown>) => void;
  /** Reserves the cost of a call to another number than the transfer number. False: the account's budget does not pay for it. */
  pays: (number: string) => Promise<boolean>;
}

/** The transfers of one call: a second leg that is bridged with the first, or a REFER when the trunk is set to it. */
export class CallTransfer {
  /** Oldest first; kept on the call. */
  readonly transfers: TransferRecord[] = [];
  /** The remote party is connected to the transfer target. */
  handedOver = false;
  private second?: { leg: CallLeg; ended: Promise<LegEnd>; bridge?: Bridge };
  private limit?: NodeJS.Timeout;
  /** One at a time: a model may request two in one response. */
  private trying = false;
  private isWriteDue = false;
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly telephony: Pick<TelephonyService, 'caps' | 'dial'>,
    private readonly records: Pick<
      CallRecordsService,
      'transferContext' | 'claimTransfer' | 'isListed' | 'recordTransfers'
    >,
    private readonly log: Pick<Log, 'error'>,
    private readonly line: TransferredCall,
  ) {}

  /** None when transfers are not allowed or not supported by the engine. */
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

  /** The first leg has ended: ends the second one. Resolves when that end is recorded. */
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
    await this.transfer(this.line.context.settings.transfer, context.signal);
    context.control.handOver();
    return { transferred: true };
  }

  /**
   * Transfers the call. Resolves when the remote party is connected to the target, or the carrier has taken over; the agent must leave then.
   * Rejects with ToolFailed. Aborting `signal` gives the attempt up.
   */
  async transfer(target: TransferTarget | undefined, signal: AbortSignal): Promise<TransferRecord> {
    const leg = this.line.leg();
    const { bridge, refer } = this.telephony.caps;
    if (!leg || !target || !(bridge || refer) || this.trying || this.handedOver)
      throw new ToolFailed('not_possible', 'The call cannot be transferred now.');
    if (this.transfers.length >= MOST_TRANSFERS)
      throw new ToolFailed('not_possible', 'There were too many attempts to transfer this call.');
    this.trying = true;
    try {
      await this.handOver(leg, target, signal);
    } finally {
      this.trying = false;
    }
    return this.transfers.at(-1)!;
  }

  private async handOver(leg: CallLeg, target: TransferTarget, signal: AbortSignal): Promise<void> {
    const plan = await this.records.transferContext(this.line.call, target.caller_id_number_id);
    if (!plan) throw new ToolFailed('not_possible', 'The call is over.');
    const refusal = transferRefusal(plan, target.phone_number);
    if (refusal) throw this.refused(target.phone_number, refusal);
    if (await this.records.isListed(plan.account_id, target.phone_number))
      throw this.refused(target.phone_number, 'do_not_call', LISTED);
    if (!plan.trunk)
      throw this.refused(target.phone_number, 'service_unavailable', 'There is no SIP trunk to call over.');
    if (!(await this.isPaid(plan, target.phone_number))) throw this.refused(target.phone_number, 'spend_limit');
    const byRefer = plan.trunk.transfer === 'refer' && this.telephony.caps.refer;
    const to = target.phone_number;
    await (byRefer ? this.refer(leg, plan, to, signal) : this.dial(leg, plan, to, signal));
    this.handedOver = true;
  }

  /** The call has reserved the cost of its transfer number before it was dialled. */
  private async isPaid({ daily_spend_micros: limit }: TransferContext, number: string): Promise<boolean> {
    if (limit === null || number === this.line.context.settings.transfer?.phone_number) return true;
    return this.line.pays(number);
  }

  /** Refused attempts are recorded as well. */
  private refused(to: string, cause: string, message = 'Calls to this number are not allowed.'): ToolFailed {
    this.keep({
      ...newTransfer(to, null, 'bridge', this.now()),
      status: 'failed',
      ended_at: this.now(),
      hangup_cause: cause,
    });
    return new ToolFailed(cause, message);
  }

  private listed(record: TransferRecord): ToolFailed {
    this.change(record, { status: 'failed', ended_at: this.now(), hangup_cause: 'do_not_call' });
    return new ToolFailed('do_not_call', LISTED);
  }

  private async dial(first: CallLeg, plan: TransferContext, to: string, signal: AbortSignal): Promise<void> {
    const trunk = { id: plan.trunk_id!, accountId: plan.account_id };
    const dialIn = await this.records.claimTransfer(this.line.call, trunk);
    if (dialIn === undefined) throw this.refused(to, 'concurrency_limit', 'All lines are taken.');
    const record = this.keep(newTransfer(to, plan.caller_id, 'bridge', this.now()));
    try {
      await delay(dialIn, undefined, { signal });
      // The list may have changed during the wait.
      if (await this.records.isListed(plan.account_id, to)) throw this.listed(record);
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
      redirectAllowed: (uri) => mayFollow(plan, uri, (...listed) => this.records.isListed(...listed)),
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

  /** Hangs up a second leg that was not bridged, and releases its line of the trunk. */
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

  /** The caller does not wait for the database. */
  private secondEnded(first: CallLeg, record: TransferRecord, end: LegEnd): LegEnd {
    const joined = this.second?.bridge;
    joined?.release();
    this.second = undefined;
    this.change(record, ended(record, end, this.now()));
    if (joined) first.hangup('transferred');
    return end;
  }

  /** The remote party places the call itself, with any caller ID; our call ends when that one is answered. */
  private async refer(first: CallLeg, plan: TransferContext, to: string, signal: AbortSignal): Promise<void> {
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
    // After the result of the tool, which is the last message to the agent.
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

  /** One after the other, so that the last write is the latest state. */
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

/** The Refer-To of a number: a user at the carrier's domain, or at the host and port of the trunk's target. */
export function referTo(number: string, trunk: Pick<DialTrunk, 'from_domain' | 'host' | 'port'>): string {
  const port = trunk.port === null ? '' : `:${trunk.port}`;
  const host = isIPv6(trunk.host) ? `[${trunk.host}]` : trunk.host;
  return `sip:${number}@${trunk.from_domain ?? `${host}${port}`};user=phone`;
}

/**
 * Sends a REFER to `to` and waits for its result. @returns the final SIP status of that call or of the refusal; 200 when the remote
 * party hangs up without a last report, as many carriers do after a success; undefined without a result in time.
 */
export async function referral(leg: CallLeg, to: string, signal: AbortSignal): Promise<number | undefined> {
  const refused = new AbortController();
  const outcome = finalOf(leg, AbortSignal.any([signal, refused.signal]));
  try {
    const { accepted, status } = await leg.refer(to);
    return accepted ? await outcome : status;
  } finally {
    refused.abort();
  }
}

function finalOf(leg: CallLeg, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const onProgress = ({ status, final }: TransferProgress): void => {
      if (final) settle(status);
    };
    const onEnd = (end: LegEnd): void => settle(end.endedBy === 'callee' || end.endedBy === 'caller' ? 200 : undefined);
    const onAbort = (): void => settle(undefined);
    const settle = (status: number | undefined): void => {
      leg.off('transfer', onProgress);
      leg.off('ended', onEnd);
      signal.removeEventListener('abort', onAbort);
      resolve(status);
    };
    leg.on('transfer', onProgress);
    leg.on('ended', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) settle(undefined);
  });
}
