import type { StoredTransferDestination, TransferMode } from '@app/agents';
import {
  effectiveTransfer,
  type OwnedCall,
  type TransferContext,
  type TransferRecord,
  type TransferSettings,
} from '@app/calls';
import type { Log } from '@app/common';
import { type AudioTask, type CallLeg, type LegEnd, RINGBACK_TASK } from '@app/telephony';
import { type ToolContext, ToolFailed, type UsageItem, type VoiceTool } from '@app/voice';
import { setTimeout as delay } from 'node:timers/promises';
import { HOLD_MUSIC_TASK } from '../agent/agent-messages.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import { destinationOf, transferHeaders, transferRefusal } from '../call/dial-request.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import { MAX_BRIEFING_MS, TransferAttempt } from './transfer-attempt.js';
import type { Briefing, BriefingText } from './transfer-briefing.js';
import { failureOfAll, statusOf, TransferLog } from './transfer-record.js';
import { referral, referTo } from './transfer-referral.js';
import { requestOf, type TransferRequest, transferTool } from './transfer-request.js';

/** The longest ringing of a second leg; the caller hears it meanwhile. */
const MAX_RING_MS = 60_000;
/** Time of the tool beyond the ringing: look-ups, a free line of the trunk, the last reports of the remote party. */
const SLACK_MS = 20_000;
/** Bounds the attempts of a model that ignores refusals. */
export const MAX_TRANSFERS = 10;

const LISTED = 'This number is on the do-not-call list.';

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
  note: (type: 'transfer' | 'transfer_briefing' | 'transfer_left', data: Record<string, unknown>) => void;
  /** Reserves the cost of a call to another number than those of the call's settings. False: the account's budget does not pay for it. */
  pays: (number: string) => Promise<boolean>;
  /** A summary of the conversation so far. */
  summary: () => string;
  /** Begins a private conversation on a second leg. */
  brief: (leg: CallLeg, text: BriefingText, record: TransferRecord, take: BriefingListener) => Briefing;
  /** The other person has left a conference. */
  conferenceLeft: (name: string | null) => void;
}

export type BriefingListener = ConstructorParameters<typeof Briefing>[2];

/** The transfers of one call: a second leg that is bridged with the first, or a REFER when the trunk is set to it. */
export class CallTransfer {
  /** The remote party is connected to the transfer target, and the agent has left. */
  handedOver = false;
  private readonly log: TransferLog;
  private readonly briefings: Briefing[] = [];
  private attempt?: TransferAttempt;
  private tone?: AudioTask;
  private limit?: NodeJS.Timeout;
  /** Of the transfer that is tried; one at a time: a model may request two in one response. */
  private trying?: AbortController;
  private isOver = false;

  constructor(
    private readonly telephony: Pick<TelephonyService, 'caps' | 'dial'>,
    private readonly records: Pick<
      CallRecordsService,
      'transferContext' | 'routeOf' | 'claimTransfer' | 'isListed' | 'recordTransfers'
    >,
    log: Pick<Log, 'error'>,
    private readonly line: TransferredCall,
  ) {
    this.log = new TransferLog(records, log, line);
  }

  /** Oldest first; kept on the call. */
  get transfers(): readonly TransferRecord[] {
    return this.log.records;
  }

  /** Of the private conversations. */
  get usage(): UsageItem[] {
    return this.briefings.flatMap(({ usage }) => usage);
  }

  private get settings(): TransferSettings | undefined {
    return effectiveTransfer(this.line.context.settings);
  }

  /** None when transfers are not allowed or not supported by the engine. */
  tools(): VoiceTool[] {
    const { settings } = this;
    const { bridge, refer } = this.telephony.caps;
    if (!settings || !(bridge || refer)) return [];
    const all = requestOf(settings, {});
    const longestMs = all.destinations.reduce((sum, one) => sum + this.longestMs(one, all), SLACK_MS);
    return [
      {
        ...transferTool(settings),
        timeoutMs: longestMs,
        takesLine: true,
        run: (args, context) => this.run(requestOf(settings, args), context),
      },
    ];
  }

  /** The first leg has ended: ends the second one. Resolves when that end is recorded. */
  async over(end: LegEnd): Promise<void> {
    this.isOver = true;
    clearTimeout(this.limit);
    this.trying?.abort();
    this.attempt?.cancel(end.cause);
    await this.attempt?.ended;
    await this.log.stored();
  }

  /** Gives up the transfer that is tried. False: there is none, or the caller is connected. */
  cancel(): boolean {
    if (!this.trying || this.attempt?.isJoined) return false;
    this.trying.abort();
    return true;
  }

  /** The caller, the agent and another person are connected. */
  get inConference(): boolean {
    return !this.handedOver && this.attempt?.isJoined === true;
  }

  /** The agent leaves a conference: the two people stay connected. */
  agentLeft(): void {
    this.handedOver = true;
    this.attempt?.agentLeft();
  }

  private longestMs(
    { ring_timeout_seconds: ring }: { ring_timeout_seconds?: number },
    request: TransferRequest,
  ): number {
    return this.ringMs(ring) + (request.mode === 'cold' ? SLACK_MS : SLACK_MS + MAX_BRIEFING_MS + request.acceptMs);
  }

  private ringMs(seconds = this.line.context.ring_timeout_seconds): number {
    return Math.min(seconds * 1_000, MAX_RING_MS);
  }

  private async run(request: TransferRequest, context: ToolContext): Promise<unknown> {
    const record = await this.transfer(request, context.signal);
    if (this.handedOver) context.control.handOver();
    const { mode, destination } = record;
    return { transferred: true, ...(mode !== 'cold' && { mode }), ...(destination !== null && { destination }) };
  }

  /** The transfer of the call's settings, or of a command, which may name another number. */
  request(given: {
    phone_number?: string;
    destination?: string;
    mode?: TransferMode;
    summary?: string;
  }): TransferRequest | undefined {
    const { phone_number: number, ...args } = given;
    const { settings } = this;
    if (number === undefined) return settings && requestOf(settings, args);
    return requestOf({ ...settings, phone_number: number, destinations: undefined }, args);
  }

  /**
   * Transfers the call to the first destination that takes it. Resolves when the remote party is connected to it, or the carrier has taken
   * over; the agent must leave then, unless it is a conference. Rejects with ToolFailed. Aborting `signal` gives it up.
   */
  async transfer(request: TransferRequest | undefined, signal: AbortSignal): Promise<TransferRecord> {
    const leg = this.line.leg();
    const { bridge, refer, conference } = this.telephony.caps;
    const isPossible = request?.mode === 'conference' ? conference : bridge || (refer && request?.mode === 'cold');
    if (!leg || !request || !isPossible || this.trying || this.attempt?.isJoined || this.handedOver)
      throw new ToolFailed('not_possible', 'The call cannot be transferred now.');
    this.trying = new AbortController();
    try {
      await this.hunt(leg, request, AbortSignal.any([signal, this.trying.signal]));
    } finally {
      this.trying = undefined;
      this.quiet();
    }
    this.handedOver = request.mode !== 'conference';
    return this.transfers.at(-1)!;
  }

  private async hunt(leg: CallLeg, request: TransferRequest, signal: AbortSignal): Promise<void> {
    const failed: { name: string | null; error: ToolFailed }[] = [];
    for (const destination of request.destinations) {
      if (this.transfers.length >= MAX_TRANSFERS)
        throw new ToolFailed('not_possible', 'There were too many attempts to transfer this call.');
      try {
        return await this.handOver(leg, destination, request, signal);
      } catch (error) {
        if (!(error instanceof ToolFailed) || signal.aborted) throw error;
        failed.push({ name: destination.name, error });
      }
    }
    throw failureOfAll(failed);
  }

  private async handOver(
    leg: CallLeg,
    destination: TransferRequest['destinations'][number],
    request: TransferRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const to = destination.to_number;
    const target = { to, from: null, method: 'bridge', mode: request.mode, destination: destination.name } as const;
    const refused = (cause: string, message = 'Calls to this number are not allowed.'): ToolFailed => {
      // Refused attempts are recorded as well.
      this.log.add(target, { status: 'failed', ended_at: this.log.now, hangup_cause: cause });
      return new ToolFailed(cause, message);
    };
    const planned = await this.plan(to, request);
    if (!planned) throw new ToolFailed('not_possible', 'The call is over.');
    if (planned === 'blocked') throw refused('blocked_destination');
    const { plan, isFirstTrunk } = planned;
    const refusal = transferRefusal(plan, to);
    if (refusal) throw refused(refusal);
    if (await this.records.isListed(plan.account_id, to)) throw refused('do_not_call', LISTED);
    if (!isOverTrunk(plan)) throw refused('service_unavailable', 'There is no SIP trunk to call over.');
    if (!(await this.isPaid(plan, to))) throw refused('spend_limit');
    // The carrier of the first leg places the second call, and knows no other trunk.
    const isReferred = isFirstTrunk && plan.trunk.transfer === 'refer';
    if (isReferred && this.telephony.caps.refer && request.mode === 'cold')
      return this.refer(leg, plan, destination, signal);
    const trunk = { id: plan.trunk_id, accountId: plan.account_id };
    const dialIn = await this.records.claimTransfer(this.line.call, trunk);
    if (dialIn === undefined) throw refused('concurrency_limit', 'All lines are taken.');
    const record = this.log.add({ ...target, from: plan.caller_id });
    this.tone ??= leg.attach(request.mode === 'cold' ? RINGBACK_TASK : HOLD_MUSIC_TASK, {});
    await this.dial(leg, { plan, destination, request, record, dialIn }, signal);
  }

  /**
   * Over the trunk that leads to the host of a SIP URI, or else over that of the call. `isFirstTrunk`: it is also the trunk of the first
   * leg. Undefined: the call is over.
   */
  private async plan(
    to: string,
    { callerIdNumberId }: TransferRequest,
  ): Promise<{ plan: TransferContext; isFirstTrunk: boolean } | 'blocked' | undefined> {
    const { call, context } = this.line;
    const plan = await this.records.transferContext(call, callerIdNumberId);
    const route = plan && (await this.records.routeOf(plan, to));
    if (route?.kind === 'refused') return 'blocked';
    // A call without a trunk has the first one of the account in its plan, and a redirected call the one that it was redirected to.
    if (route?.kind !== 'trunk' || route.trunkId === plan?.trunk_id)
      return plan && { plan, isFirstTrunk: plan.trunk_id === context.trunk_id };
    const other = await this.records.transferContext(call, callerIdNumberId, route.trunkId);
    return other && { plan: other, isFirstTrunk: false };
  }

  /** The call has reserved the cost of the numbers of its settings before it was dialled. */
  private async isPaid({ daily_spend_micros: limit }: TransferContext, number: string): Promise<boolean> {
    const { settings } = this;
    const known = [settings?.phone_number, ...(settings?.destinations ?? []).map(({ to_number: to }) => to)];
    return limit === null || known.includes(number) || this.line.pays(number);
  }

  private async dial(first: CallLeg, attempt: PlannedAttempt, signal: AbortSignal): Promise<void> {
    const { plan, record, request, destination, dialIn } = attempt;
    try {
      await delay(dialIn, undefined, { signal });
      // The list may have changed during the wait.
      if (await this.records.isListed(plan.account_id, destination.to_number))
        throw new ToolFailed('do_not_call', LISTED);
    } catch (error) {
      // Releases the line of the trunk.
      const status = signal.aborted ? 'cancelled' : 'failed';
      const cause = error instanceof ToolFailed ? error.code : null;
      this.log.change(record, { status, ended_at: this.log.now, hangup_cause: cause });
      throw error;
    }
    const second = this.secondLeg(first, attempt);
    this.attempt = new TransferAttempt({
      ...{ first, second, record, log: this.log, acceptMs: request.acceptMs, extension: destination.extension },
      brief: (take) => this.brief(second, request, record, take),
      quiet: () => this.quiet(),
      left: () => this.left(first, record),
    });
    await this.attempt.run(signal);
    const leftMs = this.line.endsAt() - this.line.now().getTime();
    this.limit = setTimeout(() => first.hangup('max_duration'), Math.max(0, leftMs));
  }

  private secondLeg(first: CallLeg, { plan, destination, record }: PlannedAttempt): CallLeg {
    const { call, context } = this.line;
    return this.telephony.dial(call, plan, {
      legId: `${call.id}/transfer-${this.transfers.length}`,
      destination: destinationOf(record.to_number),
      from: { number: plan.caller_id },
      anonymous: context.settings.anonymous ?? false,
      divertedFrom: plan.diverted_from,
      headers: transferHeaders(destination, context.metadata),
      ringTimeoutMs: this.ringMs(destination.ring_timeout_seconds),
      near: first,
    });
  }

  private brief(second: CallLeg, request: TransferRequest, record: TransferRecord, take: BriefingListener): Briefing {
    const facts = request.summary ?? this.line.summary();
    this.log.note('transfer_briefing', { destination: record.destination, text: facts });
    const text = { facts, inOwnWords: request.briefing === 'own_words', question: request.question };
    const briefing = this.line.brief(second, text, record, take);
    this.briefings.push(briefing);
    return briefing;
  }

  private quiet(): void {
    this.tone?.post('stop');
    this.tone = undefined;
  }

  /** The other person has hung up. */
  private left(first: CallLeg, { destination }: TransferRecord): void {
    if (this.isOver) return;
    if (!this.inConferenceWith()) return first.hangup('transferred');
    clearTimeout(this.limit);
    this.attempt = undefined;
    this.log.note('transfer_left', { destination });
    this.line.conferenceLeft(destination);
  }

  private inConferenceWith(): boolean {
    return !this.handedOver && this.transfers.at(-1)?.mode === 'conference';
  }

  /** The remote party places the call itself, with any caller ID; our call ends when that one is answered. */
  private async refer(
    first: CallLeg,
    plan: TransferOverTrunk,
    { to_number: to, name }: TransferRequest['destinations'][number],
    signal: AbortSignal,
  ): Promise<void> {
    const record = this.log.add({ to, from: null, method: 'refer', mode: 'cold', destination: name });
    const status = await referral(first, referTo(to, plan.trunk), signal).catch((error: unknown) => {
      this.log.change(record, { status: 'failed', ended_at: this.log.now });
      throw error;
    });
    const succeeded = status !== undefined && status < 300;
    const outcome = succeeded
      ? { status: 'completed' as const, answered_at: this.log.now }
      : { status: statusOf(status) };
    this.log.change(record, { ...outcome, ended_at: this.log.now, sip_code: status ?? null });
    if (!succeeded) throw new ToolFailed('not_transferred', 'The other party could not be reached.');
    // After the result of the tool, which is the last message to the agent.
    setImmediate(() => first.hangup('transferred'));
  }
}

type TransferOverTrunk = TransferContext & {
  trunk_id: number;
  trunk: NonNullable<TransferContext['trunk']>;
};

const isOverTrunk = (plan: TransferContext): plan is TransferOverTrunk => plan.trunk !== null && plan.trunk_id !== null;

/** An attempt that may be dialled. */
interface PlannedAttempt {
  plan: TransferOverTrunk;
  destination: Omit<StoredTransferDestination, 'name'>;
  request: TransferRequest;
  record: TransferRecord;
  /** ms until the second leg may be dialled. */
  dialIn: number;
}
