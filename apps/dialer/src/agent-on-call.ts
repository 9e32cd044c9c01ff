import {
  conversationSettings,
  type ModelSummary,
  providerChain,
  SummaryModel,
  systemPrompt,
  toolRunData,
} from '@app/agents';
import type { NewCallEvent, OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import { LOG } from '@app/settings';
import { AudioLost, type AudioTask, type CallLeg, type LegEnd } from '@app/telephony';
import type { ToolRun } from '@app/tools';
import {
  AgentSession,
  type AnsweringMachineSettings,
  type CallContext as SessionCall,
  type SessionEnd,
  type SessionEvent,
  type SessionSettings,
  type Speech,
  type StopReason,
  summaryOf,
  type UsageItem,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { AGENT_TASK, type AgentInit, type FromAgent, type ToAgent } from './agent-messages.js';
import { AgentVoices, type OpenedProviders } from './agent-voices.js';
import type { CallClock } from './call-clock.js';
import type { CallContext } from './call-context.service.js';
import { CallRecordsService } from './call-records.service.js';
import { CallToolsService } from './call-tools.service.js';
import { CallTransfer } from './call-transfer.js';
import { TelephonyService } from './telephony.service.js';
import { ToolRpcServer } from './tool-rpc-server.js';

/** The call that an agent talks on. */
interface ConversationOnCall {
  call: OwnedCall;
  context: CallContext;
  clock: CallClock;
  providers: OpenedProviders;
  speech: Speech;
}

/** The voice agent of one call in the signalling thread: its conversation becomes the events of the call. */
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
  /** The runs of tools whose event has not arrived yet. */
  private readonly runs = new Map<string, ToolRun>();
  private leg?: CallLeg;
  private task?: AudioTask;
  private talking: Promise<void> = Promise.resolve();
  private answeredAt: number;

  constructor(
    telephony: TelephonyService,
    records: CallRecordsService,
    private readonly callTools: CallToolsService,
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
      (answer) => this.send(answer),
    );
  }

  /** Synthesises the greeting while the phone rings, so that it is ready at the answer. */
  prepare(): Promise<void> {
    const { settings } = this;
    const { providers, speech } = this.conversation;
    const { provider } = providers;
    const log = this.log.child({ call_id: this.context.id });
    return AgentSession.prepare({ provider, settings, speech, log }, this.ringing.signal);
  }

  /** The leg has audio, possibly before the answer: the agent hears it from here on. */
  attach(leg: CallLeg): void {
    if (this.task) return;
    const { settings, call } = this;
    const { usable: providers, sandbox } = this.conversation.providers;
    const init: AgentInit = { providers, sandbox, settings, call, tools: this.tools.definitions() };
    const task = leg.attach(AGENT_TASK, init);
    this.leg = leg;
    this.task = task;
    task.onMessage((message) => this.receive(message as FromAgent));
    this.talking = this.follow(task, leg);
  }

  /** The agent talks until the call is over, and may hang up. */
  start(leg: CallLeg, answeredAt: Date): void {
    this.answeredAt = answeredAt.getTime();
    this.attach(leg);
    this.send({ type: 'answered' });
  }

  /** Adds a change of the line to the call's events. */
  note(type: 'hold' | 'resume'): void {
    this.write(type, {});
  }

  /** The leg has ended: the session ends. Resolves when its last events are written. */
  async over(end: LegEnd): Promise<void> {
    this.ringing.abort();
    this.send({ type: 'stop', reason: stopReason(end, remoteParty(this.context)) });
    await this.talking;
    this.tools.close();
    this.callTools.end(this.context.id);
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
      this.summed = await this.summaries.summarise(this.events, remoteParty(context));
    } catch (err) {
      this.log.warn({ err, call_id: context.id }, 'a call was not summed up by the model');
    }
  }

  /** The names of the tools that ran, in order, repetitions included. */
  get toolCalls(): string[] {
    return this.events.filter((event) => event.type === 'tool_call').map(({ name }) => name);
  }

  get summary(): string {
    return this.summed?.text ?? summaryOf(this.events, remoteParty(this.context));
  }

  private get context(): CallContext {
    return this.conversation.context;
  }

  private write(type: string, data: Record<string, unknown>): void {
    const at = this.conversation.clock.now();
    this.writer.add({ at, type, data: { at_ms: at.getTime() - this.answeredAt, ...data } });
  }

  private send(message: ToAgent): void {
    this.task?.post(message);
  }

  private receive(message: FromAgent): void {
    if (message.type === 'event') this.keep(message.event);
    else this.tools.take(message);
  }

  private async follow(task: AudioTask, leg: CallLeg): Promise<void> {
    try {
      this.end = (await task.done) as SessionEnd | undefined;
      if (this.end && !STAYS.has(this.end.cause)) leg.hangup(this.end.cause);
    } catch (err) {
      // The loss of the audio ends the leg.
      if (err instanceof AudioLost) return;
      this.log.error({ err, call_id: this.context.id }, 'the agent of a call failed');
      leg.hangup('agent_provider_error');
    }
  }

  private keep(event: SessionEvent): void {
    this.events.push(event);
    const { type, at_ms, ...data } = event;
    const role = 'role' in data && data.role === 'callee' ? { role: remoteParty(this.context) } : {};
    this.writer.add({
      at: new Date(this.answeredAt + at_ms),
      type,
      data: { at_ms, ...data, ...role, ...this.ranOf(event) },
    });
  }

  /** For a tool of the account its actions decide about success; that they ran is not enough. */
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
    private readonly voices: AgentVoices,
    private readonly telephony: TelephonyService,
    private readonly records: CallRecordsService,
    private readonly tools: CallToolsService,
    private readonly summaries: SummaryModel,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Rejects with ProviderUnavailable when none of its providers is known and configured. */
  async open(call: OwnedCall, context: CallContext, clock: CallClock): Promise<AgentOnCall> {
    const { voices, telephony, records, tools, summaries, log } = this;
    const providers = await voices.openProviders(providerChain(context.provider, context.provider_options));
    for (const { message: reason } of providers.unavailable)
      log.warn({ reason, call_id: context.id }, 'a provider of an agent is not available');
    return new AgentOnCall(telephony, records, tools, summaries, log, {
      call,
      context,
      clock,
      providers,
      speech: voices.speech,
    });
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

/** Ends of a leg that are not hung up by the agent: the remote party left, or talks to another party. */
const STAYS: ReadonlySet<string> = new Set(['normal_clearing', 'transferred']);

const REASONS: Partial<Record<LegEnd['cause'], StopReason>> = {
  media_timeout: 'media_timeout',
  media_address_refused: 'media_timeout',
  session_expired: 'session_expired',
  cancelled: 'cancelled',
  drained: 'drained',
  transferred: 'transferred',
};

const stopReason = (end: LegEnd, remote: 'caller' | 'callee'): StopReason =>
  REASONS[end.cause] ?? (end.endedBy === remote ? 'user_hangup' : 'drained');

/** The party that the agent talks to. The session always calls it `callee`. */
const remoteParty = ({ direction }: CallContext): 'caller' | 'callee' =>
  direction === 'inbound' ? 'caller' : 'callee';

/** Events of a conversation come in bursts; they are written together this long after the first of a burst. */
const BATCH_MS = 400;

/** Appends the events of a call to the database in order, in batches. */
class EventWriter {
  private waiting: NewCallEvent[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly records: CallRecordsService,
    private readonly call: OwnedCall,
    private readonly log: Log,
  ) {}

  add(event: NewCallEvent): void {
    this.waiting.push(event);
    this.timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  /** Resolves when everything added so far is written, or its loss has been logged. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.waiting;
    this.waiting = [];
    this.writing = this.writing.then(() => this.append(batch));
    return this.writing;
  }

  private async append(batch: NewCallEvent[]): Promise<void> {
    const { id } = this.call;
    try {
      const ours = await this.records.appendEvents(this.call, batch);
      if (!ours)
        this.log.warn(
          { call_id: id, events: batch.length },
          'events of a call that belongs to another dialer were dropped',
        );
    } catch (err) {
      this.log.error({ err, call_id: id, events: batch.length }, 'events of a call could not be written');
    }
  }
}
