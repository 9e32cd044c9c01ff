import type { ModelSummary, PolicyJudgeService, SummaryModelService } from '@app/agents';
import type { CommandInput, OwnedCall } from '@app/calls';
import { createDeferred, type Log } from '@app/common';
import { mergeRedaction } from '@app/privacy';
import { AudioLost, type AudioTask, type CallLeg, type LegEnd } from '@app/telephony';
import {
  type AgentFlow,
  AgentSession,
  NO_SESSION,
  type SessionCommand,
  type SessionCommandOutcome,
  type SessionEnd,
  type SessionEvent,
  type Speech,
  type StopReason,
  ToolFailed,
  totalUsage,
  type UsageItem,
  type VoiceTool,
} from '@app/voice';
import { EventEmitter } from 'node:events';
import { AGENT_TASK, type AgentInit, type FromAgent, type ToAgent } from './agent-messages.js';
import type { OpenedProviders } from './agent-voices.service.js';
import type { CallClock } from '../call/call-clock.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import type { CallToolsService, SearchedKnowledge } from './call-tools.service.js';
import type { CallVariables } from './call-variables.js';
import type { NextAgentsService } from './next-agents.service.js';
import { CallTransfer } from '../transfer/call-transfer.js';
import { causeOf, enderOf } from '../call/call-end.js';
import { ConversationClock } from './conversation-clock.js';
import { type ConversationEnd, ConversationRecord } from './conversation-record.js';
import { EventWriter } from '../call/event-writer.js';
import type { LiveWordsService } from './live-words.service.js';
import type { Silence } from '../media/recording-silences.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import { RecordingControl } from '../media/recording-control.js';
import { sessionCall, settingsOf } from './session-of-call.js';
import { policyTool } from './policy-tool.js';
import { ToolRpcServer } from './tool-rpc-server.js';
import { Briefings } from '../transfer/transfer-briefing.js';

/** What the agent of a call uses of its dialer. */
interface AgentServices {
  telephony: TelephonyService;
  records: CallRecordsService;
  callTools: CallToolsService;
  nextAgents: NextAgentsService;
  summaries: SummaryModelService;
  policies: PolicyJudgeService;
  endings: CallEndingService;
  liveWords: LiveWordsService;
  log: Log;
}

/** The call that an agent talks on. */
interface ConversationOnCall {
  call: OwnedCall;
  context: CallContext;
  clock: CallClock;
  providers: OpenedProviders;
  speech: Speech;
  /** Before the texts of the agent were rendered. */
  given: CallContext;
  /** Absent: one agent without steps. */
  flow: AgentFlow | undefined;
}

/** The agent on the leg of its call. */
interface AttachedAgent {
  leg: CallLeg;
  task: AudioTask;
  tools: ToolRpcServer;
  recording: RecordingControl;
  transfer: CallTransfer;
  /** Resolves when the session has ended. */
  talking: Promise<void>;
}

/** The fields of a command that transfers a call. */
type TransferInput = Pick<CommandInput, 'phone_number' | 'destination' | 'mode' | 'summary'>;

type LoadAgent = Extract<FromAgent, { type: 'load_agent' }>;

interface AgentEvents {
  /** The agent has the line again, after a person had taken over. */
  handed_back: [];
  /** The session has ended; the call may go on without the agent. */
  left: [];
  /** A person of a transfer can or cannot be spoken to any more. */
  colleague: [];
}

/** The voice agent of one call in the signalling thread: its conversation becomes the events of the call. */
export class AgentOnCall extends EventEmitter<AgentEvents> {
  /** All times of the conversation count from the answer. */
  readonly clock: ConversationClock;
  readonly record: ConversationRecord;
  /** Those of the call, those that its tools have assigned, and the values that its flow has collected. */
  readonly variables: CallVariables;
  private readonly init: Omit<AgentInit, 'tools'>;
  /** Of the agent that has the call. */
  private flow: AgentFlow | undefined;
  readonly searched: SearchedKnowledge = {};
  private readonly toolsWithoutLeg: VoiceTool[];
  /** Secret digits that the user has entered. */
  readonly secure = new Map<string, string>();
  private readonly connection = createDeferred();
  /** From the moment at which the leg takes tasks. */
  private attached?: AttachedAgent;
  /** The commands whose outcome the session has not reported. */
  private readonly commands = new Map<number, (outcome: SessionCommandOutcome) => void>();
  private lastCommand = 0;
  /** The session has ended: the agent has left, although the call may go on. */
  private left?: { end: SessionEnd | undefined; atMs: number };
  /** Aborts when the leg has ended. */
  private readonly legEnd = new AbortController();
  private summed?: ModelSummary;
  /** Of the verdicts about policies. */
  private readonly judged: UsageItem[] = [];

  constructor(
    private readonly services: AgentServices,
    private readonly conversation: ConversationOnCall,
  ) {
    super();
    const { callTools, records, liveWords, log } = services;
    const { call, context, clock, providers } = conversation;
    this.clock = new ConversationClock(clock);
    this.record = new ConversationRecord(new EventWriter(records, call, log), liveWords, this.clock, {
      callId: context.id,
      remoteParty: remoteParty(context),
      redaction: mergeRedaction(context.account_redaction, context.redaction),
    });
    this.init = {
      providers: providers.usable,
      sandbox: providers.sandbox,
      settings: settingsOf(context),
      expectedCodec: context.channel === 'web' ? 'L16' : (context.trunk?.codecs?.[0] ?? 'PCMU'),
      call: sessionCall(context),
      ...(conversation.flow && { flow: conversation.flow }),
    };
    this.variables = callTools.variablesOf(call, context, this.record);
    this.flow = conversation.flow;
    this.toolsWithoutLeg = callTools.of(context, this.record, this);
  }

  /** Synthesises the greeting while the phone rings, so that it is ready at the answer. */
  prepare(): Promise<void> {
    const { speech, providers, context } = this.conversation;
    const log = this.services.log.child({ call_id: context.id });
    const { settings } = this.init;
    return AgentSession.prepare({ provider: providers.provider, settings, speech, log }, this.legEnd.signal);
  }

  /** Resolves when the provider is connected, or will not be before the answer. */
  get connected(): Promise<void> {
    return this.connection.promise;
  }

  /** The leg takes tasks, possibly before the answer: the agent connects, and hears it from the answer on. */
  attach(leg: CallLeg): void {
    if (this.attached) return;
    const { services, init, record, clock } = this;
    const { call, context } = this.conversation;
    const recording = new RecordingControl(leg, record);
    const briefings = new Briefings(init, record);
    const transfer = new CallTransfer(services, { call, context, leg, clock, notes: record, briefings });
    const pausing = context.pause_recording_tool ? recording.tools() : [];
    const allTools = [...this.toolsWithoutLeg, ...pausing, ...transfer.tools()];
    const tools = new ToolRpcServer(allTools, init.call, (digits) => leg.sendDtmf(digits), [this.policyTool()]);
    const task = leg.attach(AGENT_TASK, { ...init, tools: tools.definitions() } satisfies AgentInit);
    this.attached = { leg, task, tools, recording, transfer, talking: this.follow(leg, task, transfer) };
    leg.on('ended', (end) => this.lineEnded(end, transfer));
    transfer.on('conference_left', (name) => this.returnFromConference(name));
    transfer.on('colleague', () => this.emit('colleague'));
    task.onMessage((message) => this.receive(message as FromAgent, tools));
  }

  /** The agent talks until the call is over, and may hang up. */
  start(leg: CallLeg, answeredAt: Date, joinedAt: Date): void {
    this.clock.start(answeredAt, joinedAt);
    this.attach(leg);
    this.send({ type: 'answered' });
  }

  /** 20 ms of L16 of the person who has taken over. */
  speak(audio: Uint8Array): void {
    this.send({ type: 'voice', audio });
  }

  /** The session talks, or listens to a person who has taken over. */
  get isTalking(): boolean {
    return this.attached !== undefined && this.left === undefined && !this.legEnd.signal.aborted;
  }

  /** The leg of the person to whom the call is being transferred, or who has joined it; undefined: nobody can be spoken to. */
  get colleague(): CallLeg | undefined {
    return this.attached?.transfer.colleague;
  }

  /** Resolves when the session has executed the command, or has ended. */
  command(command: SessionCommand): Promise<SessionCommandOutcome> {
    if (!this.attached || this.legEnd.signal.aborted) return Promise.resolve(NO_SESSION);
    const id = ++this.lastCommand;
    return new Promise((resolve) => {
      this.commands.set(id, resolve);
      this.send({ type: 'command', id, command });
    });
  }

  /** Transfers the call to a number, or to its destinations; the agent leaves then. Rejects with ToolFailed. */
  async transferTo(input: TransferInput): Promise<Record<string, unknown>> {
    if (!this.attached) throw new ToolFailed('not_possible', 'The call cannot be transferred now.');
    const { transfer } = this.attached;
    const request = transfer.readRequest(input);
    const taken = await this.command({ type: 'take_line' });
    if (!taken.ok) throw new ToolFailed(taken.code, taken.message);
    try {
      const { method, to_number, mode, destination } = await transfer.transfer(request, this.legEnd.signal);
      if (transfer.isHandedOver) void this.command({ type: 'leave' });
      else void this.command({ type: 'return_line', note: 'An operator added another person to this call.' });
      return { method, to_number, mode, destination };
    } catch (error) {
      const reason = error instanceof ToolFailed ? error.message : 'It failed.';
      void this.command({ type: 'return_line', note: `An operator tried to transfer the call. ${reason}` });
      throw error;
    }
  }

  /** False: no transfer is tried. */
  cancelTransfer(): boolean {
    return this.attached?.transfer.cancel() ?? false;
  }

  /** By command. Words and keys of a pause are not stored. */
  async pauseRecording(isPaused: boolean): Promise<void> {
    await this.attached?.recording.pause(isPaused);
  }

  /** The leg has ended: the session ends. Resolves when its last events are written. */
  async close(end: LegEnd): Promise<void> {
    const { attached } = this;
    this.legEnd.abort();
    this.send({ type: 'stop', reason: stopReason(end, remoteParty(this.context)) });
    await attached?.talking;
    for (const settle of this.commands.values()) settle(NO_SESSION);
    this.commands.clear();
    attached?.tools.close();
    attached?.recording.close();
    this.secure.clear();
    this.services.callTools.end(this.context.id);
    await attached?.transfer.end(end);
    await this.variables.flush();
    await this.record.close();
  }

  /** After `close`: requests a summary from the configured model, for 8 s at most. Without a model, `summary` uses the events alone. */
  async summarise(): Promise<void> {
    const { summaries, log } = this.services;
    try {
      this.summed = await summaries.summarise(this.record.events, remoteParty(this.context));
    } catch (err) {
      log.warn({ err, call_id: this.context.id }, 'a call was not summed up by the model');
    }
  }

  /** How the session ended; undefined for an unanswered call, which has no session. */
  get end(): SessionEnd | undefined {
    return this.left?.end;
  }

  /** Why the agent was given up, as a sentence; undefined: it was not. */
  get failureReason(): string | undefined {
    return this.record.failureReason;
  }

  /** Milliseconds from the answer until the agent joined. */
  get joinedMs(): number {
    return this.clock.joinedMs;
  }

  /** Everything that happened in the conversation so far, in order. */
  get heard(): readonly SessionEvent[] {
    return this.record.events;
  }

  /** The names of the tools that ran, in order, repetitions included. */
  get toolCalls(): string[] {
    return this.record.events.filter((event) => event.type === 'tool_call').map(({ name }) => name);
  }

  get transfer(): Pick<CallTransfer, 'transfers' | 'isHandedOver'> {
    return this.attached?.transfer ?? { transfers: [], isHandedOver: false };
  }

  get usage(): UsageItem[] {
    const usage = this.record.events.filter((event) => event.type === 'usage');
    const talking = usage.map(({ kind, quantity, unit, source }) => ({ kind, quantity, unit, source }));
    return [
      ...talking,
      ...(this.attached?.transfer.usage ?? []),
      ...(this.summed?.usage ?? []),
      ...totalUsage(this.judged),
    ];
  }

  get summary(): string {
    return this.summed ? this.record.redact(this.summed.text) : this.record.summary;
  }

  /** A needed consent to the recording was given, or none was needed. */
  get mayRecord(): boolean {
    if (!this.init.settings.recordingConsent) return true;
    const consent = this.record.events.findLast((event) => event.type === 'recording_consent');
    return consent?.result === 'announced' || consent?.result === 'accepted';
  }

  /** What must not be heard in the recording. After a transfer nothing is transcribed, so that nothing could be found there. */
  get silences(): readonly Silence[] {
    const { silences, hidesAudio } = this.record;
    return [...silences, ...(hidesAudio && this.left ? [{ fromMs: this.left.atMs, toMs: Infinity }] : [])];
  }

  /** The session asks for verdicts; the model does not know of this tool. */
  private policyTool(): VoiceTool {
    return policyTool(async (question, signal) => {
      const { isViolated, usage } = await this.services.policies.judge(question, signal);
      this.judged.push(...usage);
      return isViolated;
    });
  }

  private get context(): CallContext {
    return this.conversation.context;
  }

  /** A session that still lasts ends as the row of the call will say. */
  private lineEnded(end: LegEnd, { isHandedOver }: CallTransfer): void {
    const endOf = (left: SessionEnd): ConversationEnd => ({
      cause: causeOf(end, { end: left, isHandedOver }),
      ended_by: enderOf(this.context, end, left),
    });
    this.record.lineEnded({ status: end.status, sipCode: end.sipCode, endOf });
  }

  private send(message: ToAgent): void {
    this.attached?.task.post(message);
  }

  private receive(message: FromAgent, tools: ToolRpcServer): void {
    if (message.type === 'event') this.hear(message.event);
    else if (message.type === 'words') this.record.showWords(message.words);
    else if (message.type === 'secret') this.secure.set(message.name, message.digits);
    else if (message.type === 'connected') this.connection.resolve();
    else if (message.type === 'load_agent') void this.loadAgent(message, tools);
    else if (message.type === 'command_outcome') {
      const { outcome } = message;
      this.commands.get(message.id)?.(outcome.ok ? { ...outcome, atMs: outcome.atMs + this.joinedMs } : outcome);
      this.commands.delete(message.id);
    } else tools.take(message, (answer) => this.send(answer));
  }

  private async loadAgent({ id, agentId, context: kind }: LoadAgent, tools: ToolRpcServer): Promise<void> {
    const { callTools, nextAgents, log } = this.services;
    try {
      const summary = await nextAgents.summary(kind, this.record, remoteParty(this.context));
      const next = await nextAgents.load(this.conversation.given, agentId, this.clock.now());
      const { recording, transfer } = this.attached!;
      this.searched.ofStep = undefined;
      this.flow = next.init.flow;
      const pausing = this.context.pause_recording_tool ? recording.tools() : [];
      const own = callTools.of(next.context, this.record, this);
      tools.replace([...own, ...pausing, ...transfer.tools()]);
      const agent = { ...next.init, tools: tools.definitions(), ...(summary !== undefined && { summary }) };
      this.send({ type: 'agent_loaded', id, agent });
    } catch (err) {
      if (!(err instanceof ToolFailed)) log.error({ err, call_id: this.context.id }, 'an agent could not take over');
      const failure =
        err instanceof ToolFailed ? err : new ToolFailed('handoff_failed', 'The other agent cannot be used.');
      this.send({ type: 'agent_failed', id, code: failure.code, message: failure.message });
    }
  }

  private hear(event: SessionEvent): void {
    if (event.type === 'step_entered')
      this.searched.ofStep = this.flow?.flow?.steps.find(({ name }) => name === event.step)?.knowledge_base_ids;
    // Before the tools that follow: their messages come after those of the events.
    if (event.type === 'values_collected') this.variables.set(event.values);
    this.record.hear(event);
    if (event.type === 'handed_back') this.emit('handed_back');
  }

  private returnFromConference(name: string | null): void {
    const who = name === null ? 'The other person' : `${name} (the other person)`;
    const note = `${who} has left the conference. You are alone with the ${remoteParty(this.context)} again.`;
    void this.command({ type: 'inject', note, respond: true });
  }

  private async follow(leg: CallLeg, task: AudioTask, transfer: CallTransfer): Promise<void> {
    try {
      const end = (await task.done) as SessionEnd | undefined;
      this.left = { end, atMs: this.clock.nowMs };
      this.emit('left');
      if (end && LEAVES.has(end.cause) && transfer.isInConference) transfer.releaseAgent();
      else if (end && !STAYS.has(end.cause)) leg.hangup(end.cause);
    } catch (err) {
      // The loss of the audio ends the leg.
      if (err instanceof AudioLost) return;
      this.services.log.error({ err, call_id: this.context.id }, 'the agent of a call failed');
      leg.hangup('agent_provider_error');
    }
  }
}

/** Ends of a leg that are not hung up by the agent: the remote party left, or talks to another party. */
const STAYS: ReadonlySet<string> = new Set(['normal_clearing', 'transferred']);

/** Ends of the session after which two people go on without the agent. */
const LEAVES: ReadonlySet<string> = new Set(['agent_hangup', 'agent_provider_error']);

const REASONS: Partial<Record<LegEnd['cause'], StopReason>> = {
  media_timeout: 'media_timeout',
  media_address_refused: 'media_timeout',
  session_expired: 'session_expired',
  cancelled: 'cancelled',
  drained: 'drained',
  transferred: 'transferred',
};

/** A normal end that is not the remote party's is a cancellation or a command of the API. */
function stopReason(end: LegEnd, remote: 'caller' | 'callee'): StopReason {
  if (end.endedBy === remote) return REASONS[end.cause] ?? 'user_hangup';
  return REASONS[end.cause] ?? (end.cause === 'normal_clearing' ? 'cancelled' : 'drained');
}

/** The party that the agent talks to. The session always calls it `callee`. */
const remoteParty = ({ direction }: CallContext): 'caller' | 'callee' =>
  direction === 'inbound' ? 'caller' : 'callee';
