import type { ModelSummary, SummaryModelService } from '@app/agents';
import type { CommandInput, OwnedCall, TransferRecord } from '@app/calls';
import type { Log } from '@app/common';
import { mergedRedaction } from '@app/privacy';
import { AudioLost, type AudioTask, type CallLeg, type LegEnd } from '@app/telephony';
import {
  AgentSession,
  type CallContext as SessionCall,
  NO_SESSION,
  type SessionCommand,
  type SessionCommandOutcome,
  type SessionEnd,
  type SessionEvent,
  type SessionSettings,
  type Speech,
  type StopReason,
  summaryOf,
  ToolFailed,
  type UsageItem,
} from '@app/voice';
import { AGENT_TASK, type AgentInit, type FromAgent, type ToAgent } from './agent-messages.js';
import type { OpenedProviders } from './agent-voices.service.js';
import type { CallClock } from '../call/call-clock.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import type { CallToolsService } from './call-tools.service.js';
import { type BriefingListener, CallTransfer } from '../transfer/call-transfer.js';
import { ConversationRecord } from './conversation-record.js';
import { EventWriter } from '../call/event-writer.js';
import type { LiveWordsService } from './live-words.service.js';
import type { Silence } from '../media/recording-silences.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import { RecordingControl } from '../media/recording-control.js';
import { sessionCall, settingsOf } from './session-of-call.js';
import { ToolRpcServer } from './tool-rpc-server.js';
import { Briefing, briefingCall, briefingSettings, type BriefingText } from '../transfer/transfer-briefing.js';

/** The fields of a command that transfers a call. */
type TransferInput = Pick<CommandInput, 'phone_number' | 'destination' | 'mode' | 'summary'>;

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
  private readonly record: ConversationRecord;
  private summed?: ModelSummary;
  private readonly ringing = new AbortController();
  /** Secret digits that the user has entered. */
  private readonly secure = new Map<string, string>();
  private readonly recording: RecordingControl;
  readonly transfer: CallTransfer;
  private readonly tools: ToolRpcServer;
  private leg?: CallLeg;
  private task?: AudioTask;
  private talking: Promise<void> = Promise.resolve();
  private answeredAt: number;
  /** Later than the answer for a caller that waited. */
  private joinedAt: number;
  /** The commands whose outcome the session has not reported. */
  private readonly commands = new Map<number, (outcome: SessionCommandOutcome) => void>();
  private lastCommand = 0;
  /** When the agent stopped listening. */
  private leftAtMs: number | undefined;
  private readonly leaving = new AbortController();
  private markConnected = (): void => undefined;
  /** Resolves when the provider is connected, or will not be before the answer. */
  readonly connected = new Promise<void>((resolve) => (this.markConnected = resolve));

  constructor(
    telephony: TelephonyService,
    records: CallRecordsService,
    private readonly callTools: CallToolsService,
    private readonly summaries: SummaryModelService,
    endings: CallEndingService,
    liveWords: LiveWordsService,
    private readonly log: Log,
    private readonly conversation: ConversationOnCall,
  ) {
    const { call, context, clock } = conversation;
    this.answeredAt = this.joinedAt = clock.now().getTime();
    this.record = new ConversationRecord(new EventWriter(records, call, log), liveWords, {
      callId: context.id,
      remoteParty: remoteParty(context),
      now: () => clock.now(),
      answeredAt: () => this.answeredAt,
      joinedMs: () => this.joinedMs,
      redaction: mergedRedaction(context.account_redaction, context.redaction),
    });
    this.recording = new RecordingControl({
      pauseRecording: async (isPaused) => this.leg?.pauseRecording(isPaused),
      hideWords: (isPaused) => this.record.pause(isPaused),
    });
    this.settings = settingsOf(context);
    this.call = sessionCall(context);
    this.transfer = new CallTransfer(telephony, records, log, {
      call,
      context,
      leg: () => this.leg,
      now: () => clock.now(),
      endsAt: () => this.joinedAt + context.max_call_seconds * 1_000,
      note: (type, data) => this.record.note(type, data),
      summary: () => this.summary,
      brief: (leg, text, record, take) => this.brief(leg, text, record, take),
      conferenceLeft: (name) => this.conferenceLeft(name),
      pays: (number) => records.reserveInstead(call, spendPlan(endings, context), spendPlan(endings, context, number)),
    });
    this.tools = new ToolRpcServer(
      [
        ...callTools.of(context, this.record, this.secure),
        ...(context.pause_recording_tool ? this.recording.tools() : []),
        ...this.transfer.tools(),
      ],
      this.call,
      async (digits) => this.leg?.sendDtmf(digits),
      (answer) => this.send(answer),
    );
  }

  /** Synthesises the greeting while the phone rings, so that it is ready at the answer. */
  prepare(): Promise<void> {
    const { settings } = this;
    const { speech, providers } = this.conversation;
    const log = this.log.child({ call_id: this.context.id });
    return AgentSession.prepare({ provider: providers.provider, settings, speech, log }, this.ringing.signal);
  }

  /** The leg takes tasks, possibly before the answer: the agent connects, and hears it from the answer on. */
  attach(leg: CallLeg): void {
    if (this.task) return;
    const { settings, call } = this;
    const { usable: providers, sandbox } = this.conversation.providers;
    const expectedCodec = this.context.trunk?.codecs?.[0] ?? 'PCMU';
    const init = {
      providers,
      sandbox,
      settings,
      expectedCodec,
      call,
      tools: this.tools.definitions(),
    } satisfies AgentInit;
    const task = leg.attach(AGENT_TASK, init);
    this.leg = leg;
    this.task = task;
    task.onMessage((message) => this.receive(message as FromAgent));
    this.talking = this.follow(task, leg);
  }

  /** The agent talks until the call is over, and may hang up. All times of the call count from its answer. */
  start(leg: CallLeg, answeredAt: Date, joinedAt = answeredAt): void {
    this.answeredAt = answeredAt.getTime();
    this.joinedAt = joinedAt.getTime();
    this.attach(leg);
    this.send({ type: 'answered' });
  }

  /** Adds a change of the line to the call's events. */
  note(type: 'hold' | 'resume'): void {
    this.record.note(type, {});
  }

  /** Resolves when the session has executed the command, or has ended. */
  command(command: SessionCommand): Promise<SessionCommandOutcome> {
    if (!this.task || this.leaving.signal.aborted) return Promise.resolve(NO_SESSION);
    const id = ++this.lastCommand;
    return new Promise((resolve) => {
      this.commands.set(id, resolve);
      this.send({ type: 'command', id, command });
    });
  }

  /** Transfers the call to a number, or to its destinations; the agent leaves then. Rejects with ToolFailed. */
  async transferTo(input: TransferInput): Promise<Record<string, unknown>> {
    const request = this.transfer.request(input);
    const taken = await this.command({ type: 'take_line' });
    if (!taken.ok) throw new ToolFailed(taken.code, taken.message);
    try {
      const { method, to_number, mode, destination } = await this.transfer.transfer(request, this.leaving.signal);
      if (this.transfer.handedOver) void this.command({ type: 'leave' });
      else void this.command({ type: 'return_line', note: 'An operator added another person to this call.' });
      return { method, to_number, mode, destination };
    } catch (error) {
      const reason = error instanceof ToolFailed ? error.message : 'It failed.';
      void this.command({ type: 'return_line', note: `An operator tried to transfer the call. ${reason}` });
      throw error;
    }
  }

  cancelTransfer(): boolean {
    return this.transfer.cancel();
  }

  /** By command. Words and keys of a pause are not stored. */
  pauseRecording(isPaused: boolean): Promise<void> {
    return this.recording.pause(isPaused);
  }

  redacted<T>(value: T): T {
    return this.record.redactValue ? (this.record.redactValue(value) as T) : value;
  }

  sentDtmf(digits: string): void {
    this.record.keep({ at_ms: this.nowMs, type: 'dtmf_sent', digits });
  }

  /** Milliseconds since the answer. */
  get nowMs(): number {
    return this.record.nowMs;
  }

  /** The time of day, that many milliseconds after the answer. */
  timeOf(ms: number): Date {
    return new Date(this.answeredAt + ms);
  }

  /** Resolves when the events so far are stored. */
  flush(): Promise<void> {
    return this.record.flush();
  }

  /** The leg has ended: the session ends. Resolves when its last events are written. */
  async over(end: LegEnd): Promise<void> {
    this.ringing.abort();
    this.leaving.abort();
    this.send({ type: 'stop', reason: stopReason(end, remoteParty(this.context)) });
    await this.talking;
    for (const settle of this.commands.values()) settle(NO_SESSION);
    this.commands.clear();
    this.tools.close();
    this.recording.close();
    this.secure.clear();
    this.callTools.end(this.context.id);
    await this.transfer.over(end);
    await this.record.close();
  }

  /** What must not be heard in the recording. After a transfer nothing is transcribed, so that nothing could be found there. */
  get silences(): readonly Silence[] {
    const { silences, hidesAudio } = this.record;
    const left = hidesAudio && this.leftAtMs !== undefined ? [{ fromMs: this.leftAtMs, toMs: Infinity }] : [];
    return [...silences, ...left];
  }

  /** Milliseconds from the answer until the agent joined. */
  get joinedMs(): number {
    return this.joinedAt - this.answeredAt;
  }

  /** Everything that happened in the conversation so far, in order. */
  get heard(): readonly SessionEvent[] {
    return this.record.events;
  }

  get usage(): UsageItem[] {
    const usage = this.record.events.filter((event) => event.type === 'usage');
    const talking = usage.map(({ kind, quantity, unit, source }) => ({ kind, quantity, unit, source }));
    return [...talking, ...this.transfer.usage, ...(this.summed?.usage ?? [])];
  }

  /** After `over`: requests a summary from the configured model, for 8 s at most. Without a model, `summary` uses the events alone. */
  async summarise(): Promise<void> {
    const { context } = this;
    try {
      this.summed = await this.summaries.summarise(this.record.events, remoteParty(context));
    } catch (err) {
      this.log.warn({ err, call_id: context.id }, 'a call was not summed up by the model');
    }
  }

  /** The names of the tools that ran, in order, repetitions included. */
  get toolCalls(): string[] {
    return this.record.events.filter((event) => event.type === 'tool_call').map(({ name }) => name);
  }

  /** A needed consent to the recording was given, or none was needed. */
  get mayRecord(): boolean {
    if (!this.settings.recordingConsent) return true;
    const consent = this.record.events.findLast((event) => event.type === 'recording_consent');
    return consent?.result === 'announced' || consent?.result === 'accepted';
  }

  get summary(): string {
    return this.record.redacted(this.summed?.text ?? summaryOf(this.record.events, remoteParty(this.context)));
  }

  private get context(): CallContext {
    return this.conversation.context;
  }

  /** The session of the second leg has the agent's provider and voice, and nothing else of this one. */
  private brief(leg: CallLeg, text: BriefingText, record: TransferRecord, take: BriefingListener): Briefing {
    const { usable: providers, sandbox } = this.conversation.providers;
    const settings = briefingSettings(this.settings, text);
    const call = briefingCall(this.call, record.to_number, record.from_number ?? '');
    const expectedCodec = this.context.trunk?.codecs?.[0] ?? 'PCMU';
    return new Briefing(leg, { providers, sandbox, settings, expectedCodec, call }, take);
  }

  private conferenceLeft(name: string | null): void {
    const who = name === null ? 'The other person' : `${name} (the other person)`;
    const note = `${who} has left the conference. You are alone with the ${remoteParty(this.context)} again.`;
    void this.command({ type: 'inject', note, respond: true });
  }

  private send(message: ToAgent): void {
    this.task?.post(message);
  }

  private receive(message: FromAgent): void {
    if (message.type === 'event') this.record.heard(message.event);
    else if (message.type === 'words') this.record.spoken(message.words);
    else if (message.type === 'secret') this.secure.set(message.name, message.digits);
    else if (message.type === 'connected') this.markConnected();
    else if (message.type === 'command_outcome') {
      const { outcome } = message;
      this.commands.get(message.id)?.(outcome.ok ? { ...outcome, atMs: outcome.atMs + this.joinedMs } : outcome);
      this.commands.delete(message.id);
    } else this.tools.take(message);
  }

  private async follow(task: AudioTask, leg: CallLeg): Promise<void> {
    try {
      this.end = (await task.done) as SessionEnd | undefined;
      this.leftAtMs = this.nowMs;
      if (this.end && LEAVES.has(this.end.cause) && this.transfer.inConference) this.transfer.agentLeft();
      else if (this.end && !STAYS.has(this.end.cause)) leg.hangup(this.end.cause);
    } catch (err) {
      // The loss of the audio ends the leg.
      if (err instanceof AudioLost) return;
      this.log.error({ err, call_id: this.context.id }, 'the agent of a call failed');
      leg.hangup('agent_provider_error');
    }
  }
}

/** `transferTo`: a number that the call is transferred to, instead of its transfer number. */
export function spendPlan(endings: CallEndingService, context: CallContext, transferTo?: string) {
  const transfer = transferTo === undefined ? context.settings.transfer : { phone_number: transferTo };
  return {
    accountId: context.account_id,
    microsPerSecond: endings.microsPerSecond({ ...context, settings: { ...context.settings, transfer } }),
    longestSeconds: context.max_call_seconds,
  };
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
