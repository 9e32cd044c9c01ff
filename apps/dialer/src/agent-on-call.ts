import type { OwnedCall } from '@app/calls';
import { AudioLost, type AudioTask, type CallLeg, type LegEnd } from '@app/telephony';
import type { ToolRun } from '@app/tools';
import {
  conversationSettings,
  type ModelSummary,
  providerChain,
  SummaryModel,
  systemPrompt,
  toolRunData,
} from '@app/agents';
import type { Log } from '@app/common';
import { LOG } from '@app/settings';
import { Inject, Injectable } from '@nestjs/common';
import {
  AgentSession,
  type AnsweringMachineSettings,
  type CallContext as SessionCall,
  type SessionEnd,
  type SessionEvent,
  type SessionSettings,
  type StopReason,
  summaryOf,
  type UsageItem,
} from '@app/voice';
import { AGENT_TASK, type AgentInit, type FromAgent, type ToAgent } from './agent-messages.js';
import type { CallClock } from './call-clock.js';
import { CallTransfer } from './call-transfer.js';
import { EventWriter } from './event-writer.js';
import type { CallContext } from './call-context.service.js';
import type { OpenedProviders } from './agent-voices.js';
import { CallRecordsService } from './call-records.service.js';
import { CallToolsService } from './call-tools.service.js';
import { TelephonyService } from './telephony.service.js';
import { ToolRpcServer } from './tool-rpc-server.js';

/** The call that an agent talks on. */
interface ConversationOnCall {
  call: OwnedCall;
  context: CallContext;
  clock: CallClock;
  providers: OpenedProviders;
}

/** The voice agent of one call, as the thread of the signalling sees it: what it says and hears becomes the call's events. */
export class AgentOnCall {
  /** How the session ended; undefined for an unanswered call, which has no session. */
  end?: SessionEnd;
  private readonly settings: SessionSettings;
  private readonly call: SessionCall;
  private readonly writer: EventWriter;
  private readonly events: SessionEvent[] = [];
  private summed?: ModelSummary;
  private readonly ringing = new AbortController();
  readonly transfer: CallTransfer;
  private readonly tools: ToolRpcServer;
  /** Of tools whose event has not come yet. */
  private readonly runs = new Map<string, ToolRun>();
  private leg?: CallLeg;
  private task?: AudioTask;
  private talking: Promise<void> = Promise.resolve();
  private answeredAt: number;

  constructor(
    private readonly telephony: TelephonyService,
    records: CallRecordsService,
    callTools: CallToolsService,
    private readonly summaries: SummaryModel,
    private readonly log: Log,
    private readonly conversation: ConversationOnCall,
  ) {
    const { call, context, clock } = conversation;
    this.answeredAt = clock.now().getTime();
    this.writer = new EventWriter(records, call, log);
    this.settings = settingsOf(context);
    this.call = sessionCall(context);
    this.transfer = new CallTransfer(telephony, records, log, {
      call,
      context,
      leg: () => this.leg,
      now: () => clock.now(),
      endsAt: () => this.answeredAt + context.max_call_seconds * 1_000,
      note: (data) => this.write('transfer', data),
    });
    this.tools = new ToolRpcServer(
      [...callTools.of(context, (toolCallId, run) => this.runs.set(toolCallId, run)), ...this.transfer.tools()],
      this.call,
      async (digits) => this.leg?.sendDtmf(digits),
      (answer) => this.tell(answer),
    );
  }

  /** Makes the greeting while the phone rings, so that it is there at the answer. */
  prepare(): Promise<void> {
    const { settings } = this;
    const { provider } = this.conversation.providers;
    const { speech } = this.telephony;
    const log = this.log.child({ call_id: this.context.id });
    return AgentSession.prepare({ provider, settings, speech, log }, this.ringing.signal);
  }

  /** The leg has audio, which may be before the answer: from here on the agent's side hears it. */
  attach(leg: CallLeg): void {
    if (this.task) return;
    const { settings, call } = this;
    const { usable: providers, sandbox } = this.conversation.providers;
    const init: AgentInit = { providers, sandbox, settings, call, tools: this.tools.definitions() };
    const task = leg.attach(AGENT_TASK, init);
    this.leg = leg;
    this.task = task;
    task.onMessage((message) => this.hear(message as FromAgent));
    this.talking = this.follow(task, leg);
  }

  /** The agent talks until the call is over, and hangs up when it wants to. */
  start(leg: CallLeg, answeredAt: Date): void {
    this.answeredAt = answeredAt.getTime();
    this.attach(leg);
    this.tell({ type: 'answered' });
  }

  /** Something about the line that belongs to the call's events. */
  note(type: 'hold' | 'resume'): void {
    this.write(type, {});
  }

  /** The line is gone: the session ends, and its last events are written when this resolves. */
  async over(end: LegEnd): Promise<void> {
    this.ringing.abort();
    this.tell({ type: 'stop', reason: stopReason(end, farEnd(this.context)) });
    await this.talking;
    this.tools.close();
    await this.transfer.over(end);
    await this.writer.flush();
  }

  /** Everything that happened in the conversation so far, in order. */
  get heard(): readonly SessionEvent[] {
    return this.events;
  }

  get usage(): UsageItem[] {
    const usage = this.events.filter((event) => event.type === 'usage');
    const talking = usage.map(({ kind, quantity, unit, source }) => ({ kind, quantity, unit, source }));
    return [...talking, ...(this.summed?.usage ?? [])];
  }

  /** After `over`: requests a summary from the configured model, for 8 s at most. Without a model, `summary` uses the events alone. */
  async summarise(): Promise<void> {
    const { context } = this;
    try {
      this.summed = await this.summaries.summarise(this.events, farEnd(context));
    } catch (err) {
      this.log.warn({ err, call_id: context.id }, 'a call was not summed up by the model');
    }
  }

  /** Names of the tools that ran, each as often as it did. */
  get toolCalls(): string[] {
    return this.events.filter((event) => event.type === 'tool_call').map(({ name }) => name);
  }

  get summary(): string {
    return this.summed?.text ?? summaryOf(this.events, farEnd(this.context));
  }

  private get context(): CallContext {
    return this.conversation.context;
  }

  private write(type: string, data: Record<string, unknown>): void {
    const at = this.conversation.clock.now();
    this.writer.add({ at, type, data: { at_ms: at.getTime() - this.answeredAt, ...data } });
  }

  private tell(message: ToAgent): void {
    this.task?.post(message);
  }

  private hear(message: FromAgent): void {
    if (message.type === 'event') this.keep(message.event);
    else this.tools.take(message);
  }

  private async follow(task: AudioTask, leg: CallLeg): Promise<void> {
    try {
      this.end = (await task.done) as SessionEnd | undefined;
      if (this.end && !STAYS.has(this.end.cause)) leg.hangup(this.end.cause);
    } catch (err) {
      // Audio that was lost ends the leg by itself.
      if (err instanceof AudioLost) return;
      this.log.error({ err, call_id: this.context.id }, 'the agent of a call failed');
      leg.hangup('agent_provider_error');
    }
  }

  private keep(event: SessionEvent): void {
    this.events.push(event);
    const { type, at_ms, ...data } = event;
    const role = 'role' in data && data.role === 'callee' ? { role: farEnd(this.context) } : {};
    this.writer.add({
      at: new Date(this.answeredAt + at_ms),
      type,
      data: { at_ms, ...data, ...role, ...this.ranOf(event) },
    });
  }

  /** A tool of the account: its actions decide whether it went well, not that they could be run. */
  private ranOf(event: SessionEvent): Record<string, unknown> {
    if (event.type !== 'tool_call') return {};
    const run = this.runs.get(event.tool_call_id);
    this.runs.delete(event.tool_call_id);
    return run ? toolRunData(run) : {};
  }
}

/** Opens the agents of calls. */
@Injectable()
export class AgentOnCallFactory {
  constructor(
    private readonly telephony: TelephonyService,
    private readonly records: CallRecordsService,
    private readonly tools: CallToolsService,
    private readonly summaries: SummaryModel,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Rejects with ProviderUnavailable when none of its providers is known and configured. */
  async open(call: OwnedCall, context: CallContext, clock: CallClock): Promise<AgentOnCall> {
    const { telephony, records, tools, summaries, log } = this;
    const providers = await telephony.openProviders(providerChain(context.provider, context.provider_options));
    for (const { message: reason } of providers.unavailable)
      log.warn({ reason, call_id: context.id }, 'a provider of an agent is not available');
    return new AgentOnCall(telephony, records, tools, summaries, log, { call, context, clock, providers });
  }
}

const settingsOf = (context: CallContext): SessionSettings => ({
  agent: {
    name: context.agent_name,
    instructions: systemPrompt(context.instructions, context.knowledge),
    greeting: context.greeting,
    language: context.conversation?.language,
  },
  ...conversationSettings(context.conversation),
  maxCallSeconds: context.max_call_seconds,
  answeringMachine: screeningOf(context),
});

/** Only the called party may be a machine. */
function screeningOf({ direction, answering_machine: stored }: CallContext): AnsweringMachineSettings | undefined {
  if (direction === 'inbound' || !stored?.detect) return undefined;
  const { on_machine, message, wait_for_beep_seconds } = stored;
  return { onMachine: on_machine, message, waitForBeepSeconds: wait_for_beep_seconds };
}

const sessionCall = (context: CallContext): SessionCall => ({
  callId: context.id,
  direction: context.direction,
  to: context.to_number,
  from: context.from_number,
  metadata: context.metadata,
});

/** The agent's end that is not the line's: the far end left by itself, or talks to another party. */
const STAYS: ReadonlySet<string> = new Set(['normal_clearing', 'transferred']);

const REASONS: Partial<Record<LegEnd['cause'], StopReason>> = {
  media_timeout: 'media_timeout',
  media_address_refused: 'media_timeout',
  session_expired: 'session_expired',
  cancelled: 'cancelled',
  drained: 'drained',
  transferred: 'transferred',
};

const stopReason = (end: LegEnd, far: 'caller' | 'callee'): StopReason =>
  REASONS[end.cause] ?? (end.endedBy === far ? 'user_hangup' : 'drained');

/** The party that the agent talks to. For the session it is always the callee. */
const farEnd = ({ direction }: CallContext): 'caller' | 'callee' => (direction === 'inbound' ? 'caller' : 'callee');
