import type { StoredTransferDestination, TransferMode } from '@app/agents';
import {
  effectiveTransfer,
  type OwnedCall,
  type TransferContext,
  type TransferRecord,
  type TransferSettings,
} from '@app/calls';
import type { Log } from '@app/common';
import type { CallLeg, LegEnd } from '@app/telephony';
import { type ToolContext, ToolFailed, type UsageItem, type VoiceTool } from '@app/voice';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationClock } from '../agent/conversation-clock.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import { destinationOf, transferHeaders, transferRefusal } from '../call/dial-request.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import { MAX_BRIEFING_MS, TransferAttempt } from './transfer-attempt.js';
import type { Briefings } from './transfer-briefing.js';
import { type CallNotes, failureOfAll, statusOf, TransferLog } from './transfer-record.js';
import { referral, referTo } from './transfer-referral.js';
import { requestOf, type TransferRequest, transferTool } from './transfer-request.js';
import { WaitingTone } from './waiting-tone.js';

/** The longest ringing of a second leg; the caller hears it meanwhile. */
const MAX_RING_MS = 60_000;
/** Time of the tool beyond the ringing: look-ups, a free line of the trunk, the last reports of the remote party. */
const SLACK_MS = 20_000;
/** Bounds the attempts of a model that ignores refusals. */
export const MAX_TRANSFERS = 10;

const LISTED = 'This number is on the do-not-call list.';

/** The call that is transferred. */
interface TransferredCall {
  call: OwnedCall;
  context: CallContext;
  /** The first leg. */
  leg: CallLeg;
  clock: ConversationClock;
  notes: CallNotes;
  /** Absent: without an agent every transfer is cold. */
  briefings?: Pick<Briefings, 'begin' | 'usage'>;
}

interface TransferServices {
  telephony: Pick<TelephonyService, 'caps' | 'dial'>;
  records: Pick<
    CallRecordsService,
    'transferContext' | 'routeOf' | 'claimTransfer' | 'isListed' | 'recordTransfers' | 'reserveInstead'
  >;
  endings: Pick<CallEndingService, 'spendPlan'>;
  log: Pick<Log, 'error'>;
}

interface TransferEvents {
  /** The other person has left: the remote party is alone with the agent again. */
  conference_left: [destination: string | null];
  /** `colleague` may have changed. */
  colleague: [];
}

/** The transfers of one call: a second leg that is bridged with the first, or a REFER when the trunk is set to it. */
export class CallTransfer extends EventEmitter<TransferEvents> {
  private readonly log: TransferLog;
  private readonly tone = new WaitingTone();
  /** One at a time is tried: a model may request two in one response. `handed_over`: the agent has left, or leaves. */
  private stage: { name: 'with_agent' } | { name: 'trying'; abort: AbortController } | { name: 'handed_over' } = {
    name: 'with_agent',
  };
  /** The last one. */
  private attempt?: TransferAttempt;
  /** Hangs up at the longest duration of the call, when no agent does. */
  private limit?: NodeJS.Timeout;
  /** The first leg has ended. */
  private isOver = false;

  constructor(
    private readonly services: TransferServices,
    private readonly line: TransferredCall,
  ) {
    super();
    const { call, clock, notes } = line;
    this.log = new TransferLog(services.records, services.log, call, clock, notes);
  }

  /** Oldest first; kept on the call. */
  get transfers(): readonly TransferRecord[] {
    return this.log.records;
  }

  /** Of the private conversations. */
  get usage(): UsageItem[] {
    return this.line.briefings?.usage ?? [];
  }

  /** The remote party is connected to the transfer target, and the agent has left. */
  get isHandedOver(): boolean {
    return this.stage.name === 'handed_over';
  }

  /** The remote party, the agent and another person are connected. */
  get isInConference(): boolean {
    return this.attempt?.isJoined === true && !this.isHandedOver;
  }

  /** The leg of the person of a warm transfer or a conference; undefined: nobody can be spoken to. */
  get colleague(): CallLeg | undefined {
    return this.attempt?.colleague;
  }

  /** The tools of the agent; none when transfers are not allowed or not supported by the engine. */
  tools(): VoiceTool[] {
    const { settings } = this;
    const { bridge, refer } = this.services.telephony.caps;
    if (!settings || !(bridge || refer)) return [];
    const all = requestOf(settings, {});
    const longestMs = all.destinations.reduce((sum, one) => sum + this.longestMs(one, all), SLACK_MS);
    return [
      {
        ...transferTool(settings),
        timeoutMs: longestMs,
        takesLine: true,
        run: (args, context) => this.runTool(requestOf(settings, args), context),
      },
    ];
  }

  /** The transfer of the call's settings, or of a command, which may name another number. */
  readRequest(given: {
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
    const { bridge, refer, conference } = this.services.telephony.caps;
    const isSupported = request?.mode === 'conference' ? conference : bridge || (refer && request?.mode === 'cold');
    if (!request || !isSupported || this.stage.name !== 'with_agent' || this.isInConference)
      throw new ToolFailed('not_possible', 'The call cannot be transferred now.');
    const abort = new AbortController();
    this.stage = { name: 'trying', abort };
    let next: 'with_agent' | 'handed_over' = 'with_agent';
    try {
      await this.hunt(request, AbortSignal.any([signal, abort.signal]));
      if (request.mode !== 'conference') next = 'handed_over';
    } finally {
      this.tone.stop();
      // The agent may have left as soon as the other person joined.
      if (!this.isHandedOver) this.stage = { name: next };
    }
    return this.transfers.at(-1)!;
  }

  /** Gives up the transfer that is tried. False: there is none, or the remote party is connected. */
  cancel(): boolean {
    if (this.stage.name !== 'trying' || this.isInConference) return false;
    this.stage.abort.abort();
    return true;
  }

  /** The agent leaves a conference: the two people stay connected. */
  releaseAgent(): void {
    this.stage = { name: 'handed_over' };
    this.attempt?.releaseAgent();
  }

  /** The first leg has ended: ends the second one. Resolves when that end is recorded. */
  async end(end: LegEnd): Promise<void> {
    this.isOver = true;
    clearTimeout(this.limit);
    if (this.stage.name === 'trying') this.stage.abort.abort();
    this.attempt?.cancel(end.cause);
    await this.attempt?.ended;
    await this.log.stored();
  }

  private async runTool(request: TransferRequest, { signal, control }: ToolContext): Promise<unknown> {
    const { mode, destination } = await this.transfer(request, signal);
    if (this.isHandedOver) control.handOver();
    return { transferred: true, ...(mode !== 'cold' && { mode }), ...(destination !== null && { destination }) };
  }

  private async hunt(request: TransferRequest, signal: AbortSignal): Promise<void> {
    const failed: { name: string | null; error: ToolFailed }[] = [];
    for (const destination of request.destinations) {
      if (this.transfers.length >= MAX_TRANSFERS)
        throw new ToolFailed('not_possible', 'There were too many attempts to transfer this call.');
      try {
        return await this.tryDestination(destination, request, signal);
      } catch (error) {
        if (!(error instanceof ToolFailed) || signal.aborted) throw error;
        failed.push({ name: destination.name, error });
      }
    }
    throw failureOfAll(failed);
  }

  private async tryDestination(
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
    const { records, telephony } = this.services;
    const planned = await this.plan(to, request);
    if (!planned) throw new ToolFailed('not_possible', 'The call is over.');
    if (planned === 'blocked') throw refused('blocked_destination');
    const { plan, isFirstTrunk } = planned;
    const refusal = transferRefusal(plan, to);
    if (refusal) throw refused(refusal);
    if (await records.isListed(plan.account_id, to)) throw refused('do_not_call', LISTED);
    if (!isOverTrunk(plan)) throw refused('service_unavailable', 'There is no SIP trunk to call over.');
    if (plan.caller_id === '') throw refused('service_unavailable', 'The account has no active number to call from.');
    if (!(await this.isPaid(plan, to))) throw refused('spend_limit');
    // The carrier of the first leg places the second call, and knows no other trunk.
    const isReferred = isFirstTrunk && plan.trunk.transfer === 'refer';
    if (isReferred && telephony.caps.refer && request.mode === 'cold') return this.refer(plan, destination, signal);
    const trunk = { id: plan.trunk_id, accountId: plan.account_id };
    const dialIn = await records.claimTransfer(this.line.call, trunk);
    if (dialIn === undefined) throw refused('concurrency_limit', 'All lines are taken.');
    const record = this.log.add({ ...target, from: plan.caller_id });
    this.tone.play(this.line.leg, request.mode);
    await this.dial({ plan, destination, request, record, dialIn }, signal);
  }

  /**
   * Over the trunk that leads to the host of a SIP URI, or else over that of the call. `isFirstTrunk`: it is also the trunk of the first
   * leg. Undefined: the call is over.
   */
  private async plan(
    to: string,
    { callerIdNumberId }: TransferRequest,
  ): Promise<{ plan: TransferContext; isFirstTrunk: boolean } | 'blocked' | undefined> {
    const { records } = this.services;
    const { call, context } = this.line;
    const plan = await records.transferContext(call, callerIdNumberId);
    const route = plan && (await records.routeOf(plan, to));
    if (route?.kind === 'refused') return 'blocked';
    // A call without a trunk has the first one of the account in its plan, and a redirected call the one that it was redirected to.
    if (route?.kind !== 'trunk' || route.trunkId === plan?.trunk_id)
      return plan && { plan, isFirstTrunk: plan.trunk_id === context.trunk_id };
    const other = await records.transferContext(call, callerIdNumberId, route.trunkId);
    return other && { plan: other, isFirstTrunk: false };
  }

  /** The call has reserved the cost of the numbers of its settings before it was dialled. */
  private async isPaid({ daily_spend_micros: limit }: TransferContext, number: string): Promise<boolean> {
    const { settings } = this;
    const known = [settings?.phone_number, ...(settings?.destinations ?? []).map(({ to_number: to }) => to)];
    if (limit === null || known.includes(number)) return true;
    const { records, endings } = this.services;
    const { call, context } = this.line;
    return records.reserveInstead(call, endings.spendPlan(context), endings.spendPlan(context, number));
  }

  private async dial(planned: PlannedAttempt, signal: AbortSignal): Promise<void> {
    const { leg: first, clock, context, briefings } = this.line;
    const { plan, record, request, destination, dialIn } = planned;
    try {
      await delay(dialIn, undefined, { signal });
      // The list may have changed during the wait.
      if (await this.services.records.isListed(plan.account_id, destination.to_number))
        throw new ToolFailed('do_not_call', LISTED);
    } catch (error) {
      // Releases the line of the trunk.
      const status = signal.aborted ? 'cancelled' : 'failed';
      const cause = error instanceof ToolFailed ? error.code : null;
      this.log.change(record, { status, ended_at: this.log.now, hangup_cause: cause });
      throw error;
    }
    const { log, tone } = this;
    const { extension } = destination;
    const second = this.dialSecondLeg(planned);
    const onChange = (): void => void this.emit('colleague');
    const attempt = new TransferAttempt({ first, second, record, log, request, extension, briefings, tone, onChange });
    this.attempt = attempt;
    void attempt.ended.then(({ hasLeft }) => hasLeft && this.takeBack(record));
    await attempt.run(signal);
    this.limit = setTimeout(() => first.hangup('max_duration'), clock.leftMs(context.max_call_seconds));
  }

  private dialSecondLeg({ plan, destination, record }: PlannedAttempt): CallLeg {
    const { call, context, leg } = this.line;
    return this.services.telephony.dial(call, plan, {
      legId: `${call.id}/transfer-${this.transfers.length}`,
      destination: destinationOf(record.to_number),
      from: { number: plan.caller_id },
      anonymous: context.settings.anonymous ?? false,
      divertedFrom: plan.diverted_from ?? undefined,
      headers: transferHeaders(destination, context.metadata),
      ringTimeoutMs: this.ringMs(destination.ring_timeout_seconds),
      near: leg,
    });
  }

  /** The person who had taken the call has hung up. */
  private takeBack({ mode, destination }: TransferRecord): void {
    if (this.isOver) return;
    if (mode !== 'conference' || this.isHandedOver) return this.line.leg.hangup('transferred');
    clearTimeout(this.limit);
    this.line.notes.note('transfer_left', { destination });
    this.emit('conference_left', destination);
  }

  /** The remote party places the call itself, with any caller ID; our call ends when that one is answered. */
  private async refer(
    plan: TransferOverTrunk,
    { to_number: to, name }: TransferRequest['destinations'][number],
    signal: AbortSignal,
  ): Promise<void> {
    const { leg } = this.line;
    const record = this.log.add({ to, from: null, method: 'refer', mode: 'cold', destination: name });
    const status = await referral(leg, referTo(to, plan.trunk), signal).catch((error: unknown) => {
      this.log.change(record, { status: 'failed', ended_at: this.log.now });
      throw error;
    });
    const isAccepted = status !== undefined && status < 300;
    const outcome = isAccepted
      ? { status: 'completed' as const, answered_at: this.log.now }
      : { status: statusOf(status) };
    this.log.change(record, { ...outcome, ended_at: this.log.now, sip_code: status ?? null });
    if (!isAccepted) throw new ToolFailed('not_transferred', 'The other party could not be reached.');
    // After the result of the tool, which is the last message to the agent.
    setImmediate(() => leg.hangup('transferred'));
  }

  private get settings(): TransferSettings | undefined {
    return effectiveTransfer(this.line.context.settings);
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
