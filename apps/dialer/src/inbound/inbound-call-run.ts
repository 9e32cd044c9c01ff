import type { CallEnding, OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import type { HangupCause, IncomingLeg, Invitation, LegEnd } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentOnCall } from '../agent/agent-on-call.js';
import { CallerAudio } from '../media/caller-audio.js';
import type { CallClock } from '../call/call-clock.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import { EventWriter } from '../call/event-writer.js';
import type { PreCallService } from '../call/pre-call.service.js';
import { QueueTransfer } from './queue-transfer.js';
import { QueueWait } from './queue-wait.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import type { QueuedCallersService } from './queued-callers.service.js';

/** The caller is answered after this time even if the agent is not ready; its greeting then comes a little later. */
const MAX_RING_MS = 5_000;

/** What an inbound call uses of its dialer. */
interface InboundServices {
  records: CallRecordsService;
  telephony: TelephonyService;
  endings: CallEndingService;
  preCall: PreCallService;
  callers: QueuedCallersService;
  log: Log;
}

/** A call that was answered before its agent was ready. */
export interface AnsweredEarlier {
  answeredAt: Date;
  /** The agent begins to talk. */
  ready: Promise<unknown>;
}

/** The steps that inbound and outbound calls share. */
interface CallSteps {
  clock: CallClock;
  beginTrace: (context: CallContext) => void;
  /** Undefined: no provider of the agent is available. */
  agentFor: (context: CallContext) => Promise<AgentOnCall | undefined>;
  prepare: (agent: AgentOnCall) => Promise<void>;
  follow: (leg: IncomingLeg) => Promise<LegEnd>;
  /** Records the answer. */
  answered: (at: Date) => void;
  carry: (
    leg: IncomingLeg,
    ended: Promise<LegEnd>,
    context: CallContext,
    agent: AgentOnCall,
    earlier?: AnsweredEarlier,
  ) => Promise<void>;
  /** Stores the end of a call without an agent, after its other changes. */
  finish: (ending: CallEnding, context: CallContext, end: LegEnd) => Promise<void>;
  fail: (cause: HangupCause) => Promise<void>;
}

/** An inbound call until its agent talks: ringing, the pre-call webhook, the closed message and the queue. */
export class InboundCallRun {
  /** Of a caller that waited too long. */
  private transfer?: QueueTransfer;

  constructor(
    private readonly services: InboundServices,
    private readonly steps: CallSteps,
    private readonly call: OwnedCall,
  ) {}

  /** An inbound call rings until its agent is ready to speak. */
  async take(invitation: Invitation): Promise<void> {
    const prepared = await this.agentForCaller(invitation);
    if (!prepared) return;
    const { context, agent } = prepared;
    const leg = this.services.telephony.takeCall(this.call, context, invitation);
    const ended = this.steps.follow(leg);
    leg.ring();
    if (agent) await this.answer(leg, ended, context, agent);
    else if (context.settings.closed) await this.sayClosed(leg, ended, context);
    else await this.answerAfterWebhook(leg, ended, context);
  }

  /**
   * Undefined: the agent cannot answer; the INVITE is refused and the refusal is stored. Without an agent: the pre-call webhook is to be
   * asked first, the caller waits for a place, or it hears the closed message.
   */
  private async agentForCaller(
    invitation: Invitation,
  ): Promise<{ context: CallContext; agent?: AgentOnCall } | undefined> {
    const { records, preCall, log } = this.services;
    try {
      const context = await records.contextOfIncoming(this.call);
      if (context) this.steps.beginTrace(context);
      const isLater = context && (context.settings.closed || context.settings.queue || preCall.isDue(context));
      if (context && isLater) return { context };
      const agent = context && (await this.steps.agentFor(context));
      if (context && agent) return { context, agent };
      invitation.refuse(503);
      await this.steps.fail('agent_provider_error');
    } catch (err) {
      log.error({ err, call_id: this.call.id }, 'an inbound call failed with an internal error');
      invitation.refuse(503);
      await this.steps.fail('worker_lost');
    }
    return undefined;
  }

  private async answer(
    leg: IncomingLeg,
    ended: Promise<LegEnd>,
    context: CallContext,
    agent: AgentOnCall,
  ): Promise<void> {
    const over = this.steps.carry(leg, ended, context, agent);
    await Promise.race([this.readiness(agent), over]);
    leg.answer();
    await over;
  }

  /** Resolves when the agent can speak, after the longest ringing at the latest. */
  private async readiness(agent: AgentOnCall): Promise<void> {
    const ready = Promise.all([this.steps.prepare(agent), agent.connected]);
    await Promise.race([ready, delay(MAX_RING_MS, undefined, { ref: false })]);
  }

  /** The phone of the caller rings while the webhook decides. */
  private async answerAfterWebhook(leg: IncomingLeg, ended: Promise<LegEnd>, asked: CallContext): Promise<void> {
    const stop = new AbortController();
    void ended.then(() => stop.abort());
    const prepared = await this.services.preCall.prepare(this.call, asked, stop.signal);
    const context = prepared && 'context' in prepared ? prepared.context : undefined;
    if (context?.settings.queue && !stop.signal.aborted) return this.queueUp(leg, ended, context);
    const agent = context && !stop.signal.aborted ? await this.steps.agentFor(context) : undefined;
    if (context && agent) return this.answer(leg, ended, context, agent);
    leg.hangup(prepared && 'skipped' in prepared ? 'skipped_by_webhook' : 'agent_provider_error');
    await this.endWithoutAgent(await ended, asked);
  }

  /** Speaks the message of a number that is closed. */
  private async sayClosed(leg: IncomingLeg, ended: Promise<LegEnd>, context: CallContext): Promise<void> {
    const answeredAt = await this.pickUp(leg, ended);
    const { message, language } = context.settings.closed ?? { message: '', language: null };
    const audio = answeredAt && this.audioOn(leg, false);
    if (audio) await Promise.race([audio.say(message, language ?? undefined), ended]);
    leg.hangup('closed');
    await this.endWithoutAgent(await ended, context, answeredAt);
  }

  /** The caller is answered and waits for a free place, then for its agent. */
  private async queueUp(leg: IncomingLeg, ended: Promise<LegEnd>, context: CallContext): Promise<void> {
    const { queue } = context.settings;
    const answeredAt = await this.pickUp(leg, ended);
    // Before the first note: the recording is of the conversation; its length is that of the call.
    if (answeredAt) await leg.pauseRecording(true).catch(() => undefined);
    const audio = answeredAt && queue && this.audioOn(leg, queue.music);
    if (audio) {
      const agent = await this.served(leg, ended, context, { audio, answeredAt });
      if (agent) return this.connect(leg, ended, context, { agent, audio, answeredAt });
    }
    leg.hangup('agent_provider_error');
    await this.endWithoutAgent(await ended, context, answeredAt);
  }

  /** The agent of a caller whose turn it is; otherwise the leg is over or hung up. */
  private async served(
    leg: IncomingLeg,
    ended: Promise<LegEnd>,
    context: CallContext,
    { audio, answeredAt }: { audio: CallerAudio; answeredAt: Date },
  ): Promise<AgentOnCall | undefined> {
    const { callers, records, log } = this.services;
    const queue = context.settings.queue!;
    const events = new EventWriter(records, this.call, log);
    const now = (): Date => this.steps.clock.now();
    const caller = { call: this.call, accountId: context.account_id, queue, audio, ended, now, events };
    const outcome = await new QueueWait(callers, caller).over();
    await events.flush();
    if (outcome === 'ended') return undefined;
    const { action, to_number: number, message } = queue.on_timeout;
    const leaves = outcome === 'timeout' && action === 'transfer' && number ? await this.leaveQueue() : undefined;
    if (outcome === 'served' || leaves === 'served') return this.steps.agentFor(context);
    if (leaves && number) {
      audio.stop();
      this.transfer = new QueueTransfer(this.services, {
        call: this.call,
        context,
        leg,
        ended,
        answeredAt,
        clock: this.steps.clock,
        events,
      });
      if (await this.transfer.transferTo(number)) return void (await ended);
    }
    const voice = leaves ? this.audioOn(leg, false) : audio;
    if (message !== null && voice)
      await Promise.race([voice.say(message, queue.announce.language ?? undefined), ended]);
    leg.hangup('queue_timeout');
    return undefined;
  }

  /** Undefined: the database does not answer, and the caller is not transferred. */
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
  private async connect(
    leg: IncomingLeg,
    ended: Promise<LegEnd>,
    context: CallContext,
    { agent, audio, answeredAt }: { agent: AgentOnCall; audio: CallerAudio; answeredAt: Date },
  ): Promise<void> {
    const untilReady = async (): Promise<void> => {
      await Promise.race([this.readiness(agent), ended]);
      audio.stop();
      await leg.pauseRecording(false).catch(() => undefined);
    };
    await this.steps.carry(leg, ended, context, agent, { answeredAt, ready: untilReady() });
  }

  /** The time of the answer; undefined: the leg has ended before. */
  private async pickUp(leg: IncomingLeg, ended: Promise<LegEnd>): Promise<Date | undefined> {
    const answered = new Promise<Date>((resolve) =>
      leg.on('answered', () => {
        const at = this.steps.clock.now();
        this.steps.answered(at);
        resolve(at);
      }),
    );
    leg.answer();
    return Promise.race([answered, ended.then(() => undefined)]);
  }

  /** Undefined: the leg has just ended. */
  private audioOn(leg: IncomingLeg, music: boolean): CallerAudio | undefined {
    try {
      return new CallerAudio(leg, { music });
    } catch (err) {
      this.services.log.warn({ err, call_id: this.call.id }, 'a caller could not be spoken to');
      return undefined;
    }
  }

  private async endWithoutAgent(end: LegEnd, context: CallContext, answeredAt?: Date): Promise<void> {
    const at = this.steps.clock.now();
    const transfer = await this.transfer?.end(end);
    const ending = this.services.endings.endingWithoutAgent(context, end, { answeredAt, at }, transfer);
    return this.steps.finish(ending, context, end);
  }
}
