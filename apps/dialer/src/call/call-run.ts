import { ProviderUnavailable } from '@app/voice';
import {
  type CallEnding,
  contactRefusal,
  nextDialTime,
  type DialDecision,
  type OwnedCall,
  type PendingCommand,
  type PlannedCall,
} from '@app/calls';
import { addToLogScope, type Log, withLogScope } from '@app/common';
import { LOG } from '@app/common/settings';
import type { CallLeg, HangupCause, IncomingLeg, Invitation, LegEnd } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentOnCall } from '../agent/agent-on-call.js';
import { AgentOnCallFactory } from '../agent/agent-on-call.factory.js';
import { CallClock } from './call-clock.js';
import { CallEndingService } from './call-ending.service.js';
import { CommandDeliveryService } from './command-delivery.service.js';
import { countConversation, countEnd, countRinging } from '../call-metrics.js';
import { CallCommands } from './call-commands.js';
import { CallRecordsService } from './call-records.service.js';
import { CallTrace } from './call-trace.js';
import { dialRefusal, headersOf } from './dial-request.js';
import { checkWindow } from '../dial-window.js';
import type { CallContext } from './call-context.service.js';
import { consentFor } from '../media/recording-consent.js';
import { type AnsweredEarlier, InboundCallRun } from '../inbound/inbound-call-run.js';
import { PreCallService } from './pre-call.service.js';
import { TelephonyService } from '../trunks/telephony.service.js';
import { QueuedCallersService } from '../inbound/queued-callers.service.js';

/** Why the call ends without a hangup of the remote party. */
export type StopCause = 'cancelled' | 'drained' | 'max_duration' | 'worker_lost';

/** An inbound call that is stored as a call of this dialer. */
export interface IncomingStart {
  id: string;
  invitation: Invitation;
}

/** Between two attempts to reserve the cost of a call. */
const SPEND_LOOK_MS = 1_000;

/** What a call uses of its dialer. */
interface CallServices {
  records: CallRecordsService;
  telephony: TelephonyService;
  agents: AgentOnCallFactory;
  endings: CallEndingService;
  delivery: CommandDeliveryService;
  preCall: PreCallService;
  callers: QueuedCallersService;
  log: Log;
}

/** One call, from the queue or its INVITE to its last row. It records every change and never throws. */
export class CallRun {
  /** Resolves when the end of the call is recorded; never rejects. */
  done: Promise<void> = Promise.resolve();
  private readonly call: OwnedCall;
  private readonly clock = new CallClock();
  private readonly stopped = new AbortController();
  private stopCause?: StopCause;
  private leg?: CallLeg;
  /** The leg rings, and takes tasks. */
  private isOpen = false;
  /** From the answer on. */
  private commands?: CallCommands;
  private trace?: CallTrace;
  /** Stored already, but not in the row of the call yet. */
  private unnamedRecording?: string;
  /** Writes the changes one after the other, in their order. */
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly services: CallServices,
    private readonly begin: (PlannedCall | IncomingStart) & { owner: string },
  ) {
    this.call = { id: begin.id, owner: begin.owner };
  }

  start(): void {
    const { begin } = this;
    const run = 'invitation' in begin ? () => this.inbound.take(begin.invitation) : () => this.dial(begin.dialIn);
    this.done = withLogScope({ call_id: begin.id }, () => this.runOrFail(run));
  }

  cancel(): void {
    this.hangUp('cancelled');
  }

  /** Executes the command, unless another one runs. */
  command(command: PendingCommand): void {
    this.commands?.take(command);
  }

  /** CANCEL before the answer, BYE after it. */
  hangUp(cause: StopCause): void {
    this.stopCause ??= cause;
    if (this.leg) this.leg.hangup(cause);
    else this.stopped.abort();
  }

  /** An internal error ends the call as failed; the facts that were not recorded yet are lost. */
  private async runOrFail(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (err) {
      this.services.log.error({ err, call_id: this.call.id }, 'a call failed with an internal error');
      this.leg?.hangup('worker_lost');
      await this.fail('worker_lost');
    } finally {
      if (this.unnamedRecording !== undefined)
        await this.services.endings.dropUnnamedRecording(this.call.id, this.unnamedRecording);
      this.trace?.close();
    }
  }

  /** The context contains the trace of the call. */
  private beginTrace(context: CallContext): void {
    this.trace = CallTrace.of(context);
    if (this.trace) addToLogScope(this.trace.logFields);
  }

  private async dial(dialIn: number): Promise<void> {
    const slotAt = performance.now() + dialIn;
    const queued = await this.services.records.contextOfQueued(this.call);
    if (!queued) return;
    this.beginTrace(queued);
    if (!(await this.isOnRoute(queued))) return;
    const refusal = dialRefusal(queued);
    if (refusal) return this.fail(refusal);
    if (!(await this.isInWindow(queued))) return;
    const outside = contactRefusal(queued.to_number, queued, this.clock.now());
    if (outside) return this.leaveUndialled(outside, queued);
    const context = await this.afterWebhook(queued);
    if (!context) return;
    const seconds = await this.paidSeconds(context);
    if (seconds === 0) return this.fail('spend_limit');
    const agent = await this.agentFor({ ...context, max_call_seconds: seconds });
    if (!agent) return this.fail('agent_provider_error');
    await this.untilSlot(slotAt, context);
    if ((await this.isInWindow(context)) && (await this.mayDial(context))) await this.place(context, agent);
  }

  /**
   * Trunks and DNS may have changed since the call was created. False: the call waits for the trunk that leads to the host of its SIP URI, or
   * has ended because it must not be dialled.
   */
  private async isOnRoute(context: CallContext): Promise<boolean> {
    if (context.trunk_id !== null) return true;
    const { records, log } = this.services;
    const route = await records.routeOfQueued(context);
    if (route.kind === 'direct') return true;
    if (route.kind === 'refused') await this.fail('blocked_destination');
    else if (await records.reroute(this.call, route.trunkId))
      log.info({ call_id: this.call.id, trunk_id: route.trunkId }, 'a call waits for the trunk of its host');
    else await this.mayDial(undefined);
    return false;
  }

  /** False: the call waits for its next window, or has ended because it has none. */
  private async isInWindow(context: CallContext): Promise<boolean> {
    const found = await checkWindow(this.services.records, this.call, context, this.stopped.signal);
    if (found === 'postponed') this.services.log.info({ call_id: this.call.id }, 'a call waits for its next window');
    if (found !== 'closed') return found === 'open';
    const change = context.campaign_id === null ? 'failed' : 'cancelled';
    await this.finish({ change, at: this.clock.now(), cause: 'outside_window', endedBy: 'system' });
    return false;
  }

  /** Asks the pre-call webhook of the agent. Undefined: the call has ended or stays queued. */
  private async afterWebhook(context: CallContext): Promise<CallContext | undefined> {
    const prepared = await this.services.preCall.prepare(this.call, context, this.stopped.signal);
    if (!prepared) await this.mayDial(undefined);
    else if ('context' in prepared) return prepared.context;
    else await this.skip();
    return undefined;
  }

  /** A call that missed its slot, because its webhook answered late, takes a new one: the INVITEs of a trunk keep their distance. */
  private async untilSlot(slotAt: number, context: CallContext): Promise<void> {
    const missed = context.settings.pre_call !== undefined && performance.now() > slotAt;
    const wait = missed
      ? await this.services.records.nextSlot({ accountId: context.account_id, trunkId: context.trunk_id })
      : slotAt - performance.now();
    await delay(Math.max(0, wait), undefined, { signal: this.stopped.signal }).catch(() => undefined);
  }

  /**
   * The longest duration of the call. Reserves its cost from the account's daily spend, and waits for other calls to end when
   * necessary. 0: the budget is used up.
   */
  private async paidSeconds(context: CallContext): Promise<number> {
    if (context.daily_spend_micros === null) return context.max_call_seconds;
    const plan = this.services.endings.spendPlan(context);
    for (;;) {
      const seconds = await this.services.records.reserveSpend(this.call, plan);
      if (seconds !== undefined) return seconds;
      const ended = await delay(SPEND_LOOK_MS, false, { signal: this.stopped.signal }).catch(() => true);
      // Decides before dialling whether the call may be placed.
      if (ended) return context.max_call_seconds;
    }
  }

  /** `context`: absent when the call was stopped before. True: the call counts as dialled from here on. False: the call has ended, or stays queued for other dialers. */
  private async mayDial(context: CallContext | undefined): Promise<boolean> {
    if (this.stopCause === 'drained' || this.stopCause === 'worker_lost') return false;
    const decision = context && !this.stopCause ? await this.services.records.beginDial(this.call, context) : undefined;
    if (decision?.kind === 'dial') return true;
    await this.leaveUndialled(decision ?? { kind: 'gone' }, context);
    return false;
  }

  /** The call ends, or returns to the queue until it may be dialled; a campaign decides itself when to call again. */
  private async leaveUndialled(
    decision: Exclude<DialDecision, { kind: 'dial' }>,
    context: CallContext | undefined,
  ): Promise<void> {
    if (decision.kind === 'refused') return this.fail(decision.cause);
    if (decision.kind === 'later' && context?.campaign_id) return this.fail('outside_window');
    if (decision.kind === 'later' && context) {
      const { settings, to_number: destination } = context;
      const at = nextDialTime({ schedule: settings.schedule, destination, limits: context }, decision.at);
      // The windows of the call and the contact hours of the account never overlap.
      if (!at) return this.fail('outside_window');
      if (await this.services.records.postpone(this.call, at)) return;
    }
    await this.finish({ change: 'cancelled', at: this.clock.now(), cause: 'cancelled', endedBy: 'api' });
  }

  private async place(context: CallContext, agent: AgentOnCall): Promise<void> {
    this.recordDroppedHeaders(context);
    const leg = this.services.telephony.placeCall(this.call, context);
    const over = this.carry(leg, this.follow(leg), context, agent);
    void this.prepare(agent);
    await over;
  }

  /** The steps of an inbound call that outbound calls have as well. */
  private get inbound(): InboundCallRun {
    const { services, clock } = this;
    const steps = {
      clock,
      beginTrace: (context: CallContext) => this.beginTrace(context),
      agentFor: (context: CallContext) => this.agentFor(context),
      prepare: (agent: AgentOnCall) => this.prepare(agent),
      follow: (leg: IncomingLeg) => this.follow(leg),
      answered: (at: Date) => this.progress('answered', at),
      carry: this.carry.bind(this),
      finish: (ending: CallEnding, context: CallContext, end: LegEnd) => this.endWithoutAgent(ending, context, end),
      fail: (cause: HangupCause) => this.fail(cause),
    };
    return new InboundCallRun(services, steps, this.call);
  }

  private async endWithoutAgent(ending: CallEnding, context: CallContext, end: LegEnd): Promise<void> {
    await this.writing;
    const { endings } = this.services;
    const recording = await (consentFor(context)
      ? endings.droppedRecording(context, end)
      : endings.keptRecording(context, end));
    this.unnamedRecording = recording.recording?.key;
    await this.finish({ ...ending, ...recording });
  }

  private prepare(agent: AgentOnCall): Promise<void> {
    const ready = agent.prepare();
    this.trace?.preparing(ready);
    return ready;
  }

  /** Records the ringing of a new leg. Resolves with its end. */
  private follow(leg: CallLeg): Promise<LegEnd> {
    this.leg = leg;
    this.trace?.follow(leg);
    if (leg.direction === 'outbound') countRinging(leg);
    leg.on('ringing', () => this.progress('ringing', this.clock.now()));
    leg.on('open', () => (this.isOpen = true));
    const ended = new Promise<LegEnd>((resolve) => leg.on('ended', resolve));
    if (this.stopCause) leg.hangup(this.stopCause);
    return ended;
  }

  /** Lets the agent talk on a leg, and records its answer and its end. */
  private async carry(
    leg: CallLeg,
    ended: Promise<LegEnd>,
    context: CallContext,
    agent: AgentOnCall,
    earlier?: AnsweredEarlier,
  ): Promise<void> {
    const { endings } = this.services;
    let answeredAt = earlier?.answeredAt;
    let end: LegEnd | undefined;
    // A webhook may have been asked while it rang.
    if (this.isOpen) agent.attach(leg);
    leg.on('open', () => agent.attach(leg));
    leg.on('early', () => agent.attach(leg));
    const talk = (at: Date, joinedAt = at): void => {
      agent.start(leg, at, joinedAt);
      const { delivery, log } = this.services;
      this.commands = new CallCommands(delivery, log, this.call, { leg, ended, agent });
    };
    leg.on('answered', () => {
      answeredAt = this.clock.now();
      this.progress('answered', answeredAt);
      talk(answeredAt);
    });
    void earlier?.ready.then(() => end ?? talk(earlier.answeredAt, this.clock.now()));
    leg.on('hold', (held) => agent.record.note(held ? 'hold' : 'resume', {}));
    end = await ended;
    const at = this.clock.now();
    const commandsOver = this.commands?.close();
    await this.writing;
    await agent.close(end);
    await commandsOver;
    countConversation(context.provider, agent.heard);
    this.trace?.heard(agent.heard, agent.joinedMs);
    // A stopping process does not wait for a model.
    const summing = answeredAt && end.cause !== 'drained' ? agent.summarise() : undefined;
    const mayRecord = agent.mayRecord;
    const [recording] = await Promise.all([
      mayRecord ? endings.keptRecording(context, end, agent.silences) : endings.droppedRecording(context, end),
      summing,
    ]);
    this.unnamedRecording = recording.recording?.key;
    await this.finish({ ...endings.endingOf(context, end, agent, { answeredAt, at }), ...recording });
  }

  private recordDroppedHeaders(context: CallContext): void {
    const events = headersOf(context).dropped.map((one) => ({
      at: this.clock.now(),
      type: 'header_dropped',
      data: { ...one },
    }));
    if (events.length > 0) this.write(() => this.services.records.appendEvents(this.call, events));
  }

  private progress(change: 'ringing' | 'answered', at: Date): void {
    this.write(() => this.services.records.recordProgress(this.call, change, at));
    this.services.log.info({ call_id: this.call.id, change, ...this.trace?.logFields }, 'call progressed');
  }

  private write(work: () => Promise<unknown>): void {
    this.writing = this.writing
      .then(work)
      .catch((err: unknown) =>
        this.services.log.error({ err, call_id: this.call.id }, 'a change of a call was not recorded'),
      );
  }

  /** Before the INVITE: no phone may ring for an agent whose provider is unavailable. */
  private async agentFor(context: CallContext): Promise<AgentOnCall | undefined> {
    try {
      return await this.services.agents.open(this.call, context, this.clock);
    } catch (err) {
      if (!(err instanceof ProviderUnavailable)) throw err;
      this.services.log.error({ err, call_id: context.id }, 'the provider of an agent is not available');
      const reason = err.message;
      const data = { code: 'agent_provider_error', message: reason, reason };
      await this.services.records.appendEvents(this.call, [{ at: this.clock.now(), type: 'error', data }]);
      return undefined;
    }
  }

  private skip(): Promise<void> {
    return this.finish({ change: 'cancelled', at: this.clock.now(), cause: 'skipped_by_webhook', endedBy: 'api' });
  }

  private fail(cause: HangupCause): Promise<void> {
    return this.finish({ change: 'failed', at: this.clock.now(), cause, endedBy: 'system' });
  }

  private async finish(ending: CallEnding): Promise<void> {
    const { log } = this.services;
    const row = await this.services.records.finish(this.call, ending);
    if (row?.recording_key === this.unnamedRecording) this.unnamedRecording = undefined;
    if (row) countEnd(row, ending.measures);
    this.services.callers.wake();
    this.trace?.over(row);
    if (row)
      log.info({ call_id: row.id, status: row.status, cause: row.hangup_cause, sip_code: row.sip_code }, 'call ended');
    else log.warn({ call_id: this.call.id }, 'a call had already been ended by another process');
  }
}

/** Starts the runs of calls. */
@Injectable()
export class CallRunFactory {
  constructor(
    private readonly records: CallRecordsService,
    private readonly telephony: TelephonyService,
    private readonly agents: AgentOnCallFactory,
    private readonly endings: CallEndingService,
    private readonly delivery: CommandDeliveryService,
    private readonly preCall: PreCallService,
    private readonly callers: QueuedCallersService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Starts the run of a call of `owner`: claimed from the queue, or inbound. */
  start(call: PlannedCall | IncomingStart, owner: string): CallRun {
    const { records, telephony, agents, endings, delivery, preCall, callers, log } = this;
    const services = { records, telephony, agents, endings, delivery, preCall, callers, log };
    const run = new CallRun(services, { ...call, owner });
    run.start();
    return run;
  }
}
