import type { NumberQueue } from '@app/accounts';
import { ProviderUnavailable, publicReason } from '@app/voice';
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
import { dialRefusal, endHeadersOf, headersOf } from './dial-request.js';
import { checkWindow } from '../dial-window.js';
import type { CallContext } from './call-context.service.js';
import { EventWriter } from './event-writer.js';
import { CallerAudio } from '../media/caller-audio.js';
import { consentFor } from '../media/recording-consent.js';
import type { CallListeners } from '../listening/call-listeners.js';
import { ListenersService } from '../listening/listeners.service.js';
import { PreCallService } from './pre-call.service.js';
import { QueueTransfer } from '../inbound/queue-transfer.js';
import { QueueWait } from '../inbound/queue-wait.js';
import { QueuedCallersService } from '../inbound/queued-callers.service.js';
import { TelephonyService } from '../trunks/telephony.service.js';

/** Why the call ends without a hangup of the remote party. */
export type StopCause = 'cancelled' | 'drained' | 'max_duration' | 'worker_lost';

/** An inbound call that is stored as a call of this dialer. */
export interface IncomingStart {
  id: string;
  invitation: Invitation;
}

/** What a call uses of its dialer. */
interface CallServices {
  records: CallRecordsService;
  telephony: TelephonyService;
  agents: AgentOnCallFactory;
  endings: CallEndingService;
  delivery: CommandDeliveryService;
  preCall: PreCallService;
  callers: QueuedCallersService;
  listening: ListenersService;
  log: Log;
}

/** The leg of a call, and what has happened on it. */
interface Line<Leg extends CallLeg = CallLeg> {
  readonly leg: Leg;
  readonly ended: Promise<LegEnd>;
  /** `open`: it takes tasks. */
  stage: 'connecting' | 'open' | 'ended';
  answeredAt?: Date;
}

/** Between two attempts to reserve the cost of a call. */
const SPEND_LOOK_MS = 1_000;

/** The caller is answered after this time even if the agent is not ready; its greeting then comes a little later. */
const MAX_RING_MS = 5_000;

/**
 * One call, from the queue or its INVITE to its last row. It records every change and never throws.
 *
 * An outbound call is checked, prepared and dialled (`runOutbound`); an inbound call rings until its agent is ready, and may hear the closed
 * message or wait in the queue before (`runInbound`). Both continue in `converse`, where the agent talks, and end in `finish`.
 */
export class CallRun {
  /** Resolves when the end of the call is recorded; never rejects. */
  readonly done: Promise<void>;
  private readonly call: OwnedCall;
  private readonly clock = new CallClock();
  /** From the first hangup on. */
  private stopCause?: StopCause;
  /** Aborts with the first hangup, and with it what a call without a leg waits for. */
  private readonly stopping = new AbortController();
  /** From the moment at which the call is dialled or accepted. */
  private line?: Line;
  /** From the moment at which the agent talks. */
  private commands?: CallCommands;
  /** From the moment at which the agent talks. */
  private listenersOfCall?: CallListeners;
  /** From the moment at which the context is read; absent without tracing. */
  private trace?: CallTrace;
  /** Writes the changes one after the other, in their order. */
  private writing: Promise<unknown> = Promise.resolve();
  /** The key of a recording that is stored already, but is not in the row of the call yet. */
  private unnamedRecording?: string;
  /** Why no agent could be opened, as a sentence. */
  private agentProblem?: string;

  /** Starts the call. */
  constructor(
    private readonly services: CallServices,
    begin: (PlannedCall | IncomingStart) & { owner: string },
  ) {
    this.call = { id: begin.id, owner: begin.owner };
    this.done = withLogScope({ call_id: begin.id }, () => this.run(begin));
  }

  /** Executes the command, unless another one runs or no agent talks. */
  command(command: PendingCommand): void {
    this.commands?.take(command);
  }

  /** Those who listen to the call; undefined: no agent talks yet, or the leg has ended. */
  get listeners(): CallListeners | undefined {
    return this.line?.stage === 'ended' ? undefined : this.listenersOfCall;
  }

  /** CANCEL before the answer, BYE after it. */
  hangUp(cause: StopCause): void {
    this.stopCause ??= cause;
    this.stopping.abort();
    this.line?.leg.hangup(cause);
  }

  /** An internal error ends the call as failed; the facts that were not recorded yet are lost. */
  private async run(begin: PlannedCall | IncomingStart): Promise<void> {
    try {
      if ('invitation' in begin) await this.runInbound(begin.invitation);
      else await this.runOutbound(begin.dialIn);
    } catch (err) {
      this.services.log.error({ err, call_id: this.call.id }, 'a call failed with an internal error');
      this.line?.leg.hangup('worker_lost');
      await this.fail('worker_lost');
    } finally {
      if (this.unnamedRecording !== undefined)
        await this.services.endings.dropUnnamedRecording(this.call.id, this.unnamedRecording);
      this.trace?.close();
    }
  }

  // An outbound call until its leg is dialled.

  private async runOutbound(dialIn: number): Promise<void> {
    const slotAt = performance.now() + dialIn;
    const queued = await this.services.records.contextOfQueued(this.call);
    if (!queued) return;
    this.beginTrace(queued);
    if (!(await this.confirmRoute(queued))) return;
    const refusal = dialRefusal(queued);
    if (refusal) return this.fail(refusal);
    if (!(await this.confirmWindow(queued))) return;
    const outside = contactRefusal(queued.to_number, queued, this.clock.now());
    if (outside) return this.leaveUndialled(outside, queued);
    const context = await this.askWebhook(queued);
    if (!context) return;
    const seconds = await this.reserveSeconds(context);
    if (seconds === 0) return this.fail('spend_limit');
    const agent = await this.openAgent({ ...context, max_call_seconds: seconds });
    if (!agent) return this.fail('agent_provider_error');
    await this.waitForSlot(slotAt, context);
    if ((await this.confirmWindow(context)) && (await this.beginDial(context))) await this.dial(context, agent);
  }

  /**
   * Trunks and DNS may have changed since the call was created. False: the call waits for the trunk that leads to the host of its SIP URI, or
   * has ended because it must not be dialled.
   */
  private async confirmRoute(context: CallContext): Promise<boolean> {
    if (context.trunk_id !== null) return true;
    const { records, log } = this.services;
    const route = await records.routeOfQueued(context);
    if (route.kind === 'direct') return true;
    if (route.kind === 'refused') await this.fail('blocked_destination');
    else if (await records.reroute(this.call, route.trunkId))
      log.info({ call_id: this.call.id, trunk_id: route.trunkId }, 'a call waits for the trunk of its host');
    else await this.leaveStopped();
    return false;
  }

  /** False: the call waits for its next window, or has ended because it has none. */
  private async confirmWindow(context: CallContext): Promise<boolean> {
    const found = await checkWindow(this.services.records, this.call, context, this.stopping.signal);
    if (found === 'postponed') this.services.log.info({ call_id: this.call.id }, 'a call waits for its next window');
    if (found !== 'closed') return found === 'open';
    const change = context.campaign_id === null ? 'failed' : 'cancelled';
    await this.finish({ change, at: this.clock.now(), cause: 'outside_window', endedBy: 'system' });
    return false;
  }

  /** Asks the pre-call webhook of the agent. Undefined: the call has ended or stays queued. */
  private async askWebhook(context: CallContext): Promise<CallContext | undefined> {
    const prepared = await this.services.preCall.prepare(this.call, context, this.stopping.signal);
    if (!prepared) await this.leaveStopped();
    else if ('context' in prepared) return prepared.context;
    else await this.finishByApi('skipped_by_webhook');
    return undefined;
  }

  /**
   * The longest duration of the call. Reserves its cost from the account's daily spend, and waits for other calls to end when
   * necessary. 0: the budget is used up.
   */
  private async reserveSeconds(context: CallContext): Promise<number> {
    if (context.daily_spend_micros === null) return context.max_call_seconds;
    const plan = this.services.endings.spendPlan(context);
    for (;;) {
      const seconds = await this.services.records.reserveSpend(this.call, plan);
      if (seconds !== undefined) return seconds;
      const isStopped = await delay(SPEND_LOOK_MS, false, { signal: this.stopping.signal }).catch(() => true);
      // `beginDial` decides whether the call may be placed.
      if (isStopped) return context.max_call_seconds;
    }
  }

  /** A call that missed its slot, because its webhook answered late, takes a new one: the INVITEs of a trunk keep their distance. */
  private async waitForSlot(slotAt: number, context: CallContext): Promise<void> {
    const isMissed = context.settings.pre_call !== undefined && performance.now() > slotAt;
    const wait = isMissed
      ? await this.services.records.nextSlot({ accountId: context.account_id, trunkId: context.trunk_id })
      : slotAt - performance.now();
    await delay(Math.max(0, wait), undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /** True: the call counts as dialled from here on. False: it has ended, or stays queued. */
  private async beginDial(context: CallContext): Promise<boolean> {
    if (this.stopCause) {
      await this.leaveStopped();
      return false;
    }
    const decision = await this.services.records.beginDial(this.call, context);
    if (decision.kind === 'dial') return true;
    await this.leaveUndialled(decision, context);
    return false;
  }

  /** The call was cancelled; one whose dialer stops stays queued for other dialers. */
  private async leaveStopped(): Promise<void> {
    if (this.stopCause === 'drained' || this.stopCause === 'worker_lost') return;
    await this.finishByApi('cancelled');
  }

  /** The call ends, or returns to the queue until it may be dialled; a campaign decides itself when to call again. */
  private async leaveUndialled(decision: Exclude<DialDecision, { kind: 'dial' }>, context: CallContext): Promise<void> {
    if (decision.kind === 'refused') return this.fail(decision.cause);
    if (decision.kind === 'later') {
      if (context.campaign_id) return this.fail('outside_window');
      const { settings, to_number: destination } = context;
      const at = nextDialTime({ schedule: settings.schedule, destination, limits: context }, decision.at);
      // The windows of the call and the contact hours of the account never overlap.
      if (!at) return this.fail('outside_window');
      if (await this.services.records.postpone(this.call, at)) return;
    }
    await this.finishByApi('cancelled');
  }

  private async dial(context: CallContext, agent: AgentOnCall): Promise<void> {
    this.recordDroppedHeaders(context);
    const line = this.follow(this.services.telephony.placeCall(this.call, context));
    const over = this.converse(line, context, agent);
    void this.prepareAgent(agent);
    await over;
  }

  // An inbound call until its agent talks.

  /** It rings until its agent is ready to speak. */
  private async runInbound(invitation: Invitation): Promise<void> {
    const admitted = await this.admit(invitation);
    if (!admitted) return;
    const { context, agent } = admitted;
    const line = this.follow(this.services.telephony.takeCall(this.call, context, invitation));
    line.leg.ring();
    if (agent) await this.answer(line, context, agent);
    else if (context.settings.closed) await this.sayClosed(line, context);
    else await this.answerAfterWebhook(line, context);
  }

  /**
   * Undefined: the agent cannot answer; the INVITE is refused and the refusal is stored. Without an agent: the pre-call webhook is to be
   * asked first, the caller waits for a place, or it hears the closed message.
   */
  private async admit(invitation: Invitation): Promise<{ context: CallContext; agent?: AgentOnCall } | undefined> {
    const { records, preCall, log } = this.services;
    try {
      const context = await records.contextOfIncoming(this.call);
      if (context) {
        this.beginTrace(context);
        if (context.settings.closed || context.settings.queue || preCall.isDue(context)) return { context };
        const agent = await this.openAgent(context);
        if (agent) return { context, agent };
      }
      invitation.refuse(503);
      await this.fail('agent_provider_error');
    } catch (err) {
      log.error({ err, call_id: this.call.id }, 'an inbound call failed with an internal error');
      invitation.refuse(503);
      await this.fail('worker_lost');
    }
    return undefined;
  }

  private async answer(line: Line<IncomingLeg>, context: CallContext, agent: AgentOnCall): Promise<void> {
    const over = this.converse(line, context, agent);
    await Promise.race([this.waitForAgent(agent), over]);
    line.leg.answer();
    await over;
  }

  /** Speaks the message of a number that is closed. */
  private async sayClosed(line: Line<IncomingLeg>, context: CallContext): Promise<void> {
    const { leg } = line;
    const answeredAt = await this.pickUp(line);
    const { message, language } = context.settings.closed ?? { message: '', language: null };
    if (answeredAt) await this.say(line, this.openAudio(leg, false), message, language);
    leg.hangup('closed');
    await this.endWithoutAgent(line, context);
  }

  /** The phone of the caller rings while the webhook decides. */
  private async answerAfterWebhook(line: Line<IncomingLeg>, asked: CallContext): Promise<void> {
    const stop = new AbortController();
    void line.ended.then(() => stop.abort());
    const prepared = await this.services.preCall.prepare(this.call, asked, stop.signal);
    const context = prepared && 'context' in prepared ? prepared.context : undefined;
    if (context && !stop.signal.aborted) {
      const { queue } = context.settings;
      if (queue) return this.queueUp(line, context, queue);
      const agent = await this.openAgent(context);
      if (agent) return this.answer(line, context, agent);
    }
    line.leg.hangup(prepared && 'skipped' in prepared ? 'skipped_by_webhook' : 'agent_provider_error');
    await this.endWithoutAgent(line, asked);
  }

  /** The caller is answered and waits for a free place, then for its agent. */
  private async queueUp(line: Line<IncomingLeg>, context: CallContext, queue: NumberQueue): Promise<void> {
    const { leg, ended } = line;
    const answeredAt = await this.pickUp(line);
    // Before the first note: the recording is of the conversation; its length is that of the call.
    if (answeredAt) await leg.pauseRecording(true).catch(() => undefined);
    const audio = answeredAt && this.openAudio(leg, queue.music);
    if (!audio) {
      leg.hangup('agent_provider_error');
      return this.endWithoutAgent(line, context);
    }
    const { call, clock, services } = this;
    const events = new EventWriter(services.records, call, services.log);
    const caller = { call, accountId: context.account_id, queue, audio, ended, clock, events };
    const outcome = await new QueueWait(services.callers, caller).wait();
    await events.flush();
    const { action, to_number: number, message } = queue.on_timeout;
    const left = outcome === 'timeout' && action === 'transfer' && number ? await this.leaveQueue() : undefined;
    if (outcome === 'served' || left === 'served') {
      const agent = await this.openAgent(context);
      if (agent) return this.joinCaller(line, context, agent, audio);
      leg.hangup('agent_provider_error');
      return this.endWithoutAgent(line, context);
    }
    const { language } = queue.announce;
    let transfer: QueueTransfer | undefined;
    if (left === 'left' && number) {
      audio.stop();
      transfer = new QueueTransfer(services, { call, context, leg, ended, answeredAt, clock, events });
      if (await transfer.transferTo(number)) await ended;
      else await this.say(line, this.openAudio(leg, false), message, language);
    } else if (outcome === 'timeout') await this.say(line, audio, message, language);
    leg.hangup('queue_timeout');
    await this.endWithoutAgent(line, context, transfer);
  }

  /** `served`: the caller got a place in this moment. Undefined: the database does not answer, and the caller is not transferred. */
  private async leaveQueue(): Promise<'left' | 'served' | undefined> {
    const { callers, log } = this.services;
    try {
      return (await callers.quit(this.call)) ? 'left' : 'served';
    } catch (err) {
      log.error({ err, call_id: this.call.id }, 'a caller could not leave the queue');
      return undefined;
    }
  }

  /** Music plays until the agent is ready. */
  private async joinCaller(
    line: Line<IncomingLeg>,
    context: CallContext,
    agent: AgentOnCall,
    audio: CallerAudio,
  ): Promise<void> {
    const endMusic = async (): Promise<void> => {
      await Promise.race([this.waitForAgent(agent), line.ended]);
      audio.stop();
      await line.leg.pauseRecording(false).catch(() => undefined);
    };
    await this.converse(line, context, agent, endMusic());
  }

  /** Resolves when the agent can speak, after the longest ringing at the latest. */
  private async waitForAgent(agent: AgentOnCall): Promise<void> {
    const ready = Promise.all([this.prepareAgent(agent), agent.connected]);
    await Promise.race([ready, delay(MAX_RING_MS, undefined, { ref: false })]);
  }

  /** The time of the answer; undefined: the leg has ended before. */
  private async pickUp(line: Line<IncomingLeg>): Promise<Date | undefined> {
    const answered = new Promise<void>((resolve) => line.leg.on('answered', () => resolve()));
    line.leg.answer();
    await Promise.race([answered, line.ended]);
    return line.answeredAt;
  }

  /** Undefined: the leg has just ended. */
  private openAudio(leg: IncomingLeg, music: boolean): CallerAudio | undefined {
    try {
      return new CallerAudio(leg, { music });
    } catch (err) {
      this.services.log.warn({ err, call_id: this.call.id }, 'a caller could not be spoken to');
      return undefined;
    }
  }

  private async say(
    { ended }: Line,
    audio: CallerAudio | undefined,
    text: string | null,
    language: string | null,
  ): Promise<void> {
    if (audio && text !== null) await Promise.race([audio.say(text, language ?? undefined), ended]);
  }

  /** Records the end of a call without an agent. */
  private async endWithoutAgent(line: Line, context: CallContext, transfer?: QueueTransfer): Promise<void> {
    const { endings } = this.services;
    const end = await line.ended;
    const { answeredAt } = line;
    const at = this.clock.now();
    const transfers = await transfer?.end(end);
    const ending = endings.endingWithoutAgent(context, end, { answeredAt, at }, transfers);
    await this.writing;
    const recording = await (consentFor(context)
      ? endings.droppedRecording(context, end)
      : endings.keptRecording(context, end));
    await this.finishWithRecording(ending, recording);
  }

  // A leg, in both directions.

  /** Records the ringing and the answer of a new leg. */
  private follow<Leg extends CallLeg>(leg: Leg): Line<Leg> {
    const ended = new Promise<LegEnd>((resolve) => leg.on('ended', resolve));
    const line: Line<Leg> = { leg, ended, stage: 'connecting' };
    this.line = line;
    this.trace?.follow(leg);
    if (leg.direction === 'outbound') countRinging(leg);
    leg.on('ringing', () => this.recordProgress('ringing', this.clock.now()));
    leg.on('open', () => (line.stage = 'open'));
    leg.on('answered', () => {
      line.stage = 'open';
      line.answeredAt = this.clock.now();
      this.recordProgress('answered', line.answeredAt);
    });
    leg.on('ended', () => (line.stage = 'ended'));
    if (this.stopCause) leg.hangup(this.stopCause);
    return line;
  }

  /**
   * Lets the agent talk on a leg from its answer on, and records its end. `ready`: the caller was answered before, and the agent joins when
   * this resolves.
   */
  private async converse(
    line: Line,
    context: CallContext,
    agent: AgentOnCall,
    ready?: Promise<unknown>,
  ): Promise<void> {
    const { leg, ended } = line;
    // As they are stored: without what is redacted.
    leg.writeAtEnd(() => endHeadersOf(context, agent.record.redactValue(agent.variables.all())));
    const join = (joinedAt: Date): void => {
      agent.start(leg, line.answeredAt ?? joinedAt, joinedAt);
      const { delivery, listening, log } = this.services;
      this.listenersOfCall = listening.of(leg, context, agent);
      this.commands = new CallCommands(delivery, log, this.call, { leg, ended, agent });
    };
    // It may have been opened while a webhook was asked.
    if (line.stage === 'open') agent.attach(leg);
    leg.on('open', () => agent.attach(leg));
    leg.on('early', () => agent.attach(leg));
    leg.on('answered', () => join(line.answeredAt ?? this.clock.now()));
    void ready?.then(() => line.stage === 'ended' || join(this.clock.now()));
    leg.on('hold', (isHeld) => agent.record.note(isHeld ? 'hold' : 'resume', {}));
    const end = await ended;
    const at = this.clock.now();
    const commandsOver = this.commands?.close();
    await this.writing;
    await agent.close(end);
    await commandsOver;
    await this.endConversation(line, context, agent, { end, at });
  }

  private async endConversation(
    { answeredAt }: Line,
    context: CallContext,
    agent: AgentOnCall,
    { end, at }: { end: LegEnd; at: Date },
  ): Promise<void> {
    const { endings } = this.services;
    countConversation(context.provider, agent.heard);
    this.trace?.heard(agent.heard, agent.joinedMs);
    // A stopping process does not wait for a model.
    const summing = answeredAt && end.cause !== 'drained' ? agent.summarise() : undefined;
    const [recording] = await Promise.all([
      agent.mayRecord ? endings.keptRecording(context, end, agent.silences) : endings.droppedRecording(context, end),
      summing,
    ]);
    await this.finishWithRecording(endings.endingOf(context, end, agent, { answeredAt, at }), recording);
  }

  // The agent, the changes of the call and its last row.

  /** Before the INVITE: no phone may ring for an agent whose provider is unavailable. */
  private async openAgent(context: CallContext): Promise<AgentOnCall | undefined> {
    try {
      return await this.services.agents.open(this.call, context, this.clock);
    } catch (err) {
      if (!(err instanceof ProviderUnavailable)) throw err;
      this.services.log.error({ err, call_id: context.id }, 'the provider of an agent is not available');
      const reason = publicReason(err.message);
      this.agentProblem = reason;
      const data = { code: 'agent_provider_error', message: reason, reason };
      await this.services.records.appendEvents(this.call, [{ at: this.clock.now(), type: 'error', data }]);
      return undefined;
    }
  }

  private prepareAgent(agent: AgentOnCall): Promise<void> {
    const ready = agent.prepare();
    this.trace?.preparing(ready);
    return ready;
  }

  /** The context contains the trace of the call. */
  private beginTrace(context: CallContext): void {
    this.trace = CallTrace.of(context);
    if (this.trace) addToLogScope(this.trace.logFields);
  }

  private recordDroppedHeaders(context: CallContext): void {
    const events = headersOf(context).dropped.map((one) => ({
      at: this.clock.now(),
      type: 'header_dropped',
      data: { ...one },
    }));
    if (events.length > 0) this.write(() => this.services.records.appendEvents(this.call, events));
  }

  private recordProgress(change: 'ringing' | 'answered', at: Date): void {
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

  private finishByApi(cause: 'cancelled' | 'skipped_by_webhook'): Promise<void> {
    return this.finish({ change: 'cancelled', at: this.clock.now(), cause, endedBy: 'api' });
  }

  private fail(cause: HangupCause): Promise<void> {
    return this.finish({ change: 'failed', at: this.clock.now(), cause, endedBy: 'system' });
  }

  private finishWithRecording(
    ending: CallEnding,
    stored: Pick<CallEnding, 'recording' | 'recordingError'>,
  ): Promise<void> {
    this.unnamedRecording = stored.recording?.key;
    return this.finish({ ...ending, ...stored });
  }

  private async finish(ending: CallEnding): Promise<void> {
    const { records, callers, log } = this.services;
    const { cause, failureReason = cause === 'agent_provider_error' ? this.agentProblem : undefined } = ending;
    const row = await records.finish(this.call, { ...ending, failureReason });
    if (row?.recording_key === this.unnamedRecording) this.unnamedRecording = undefined;
    if (row) countEnd(row, ending.measures);
    callers.wake();
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
    private readonly listening: ListenersService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Starts the run of a call of `owner`: claimed from the queue, or inbound. */
  start(call: PlannedCall | IncomingStart, owner: string): CallRun {
    const { records, telephony, agents, endings, delivery, preCall, callers, listening, log } = this;
    const services = { records, telephony, agents, endings, delivery, preCall, callers, listening, log };
    return new CallRun(services, { ...call, owner });
  }
}
