import { toolRunData } from '@app/agents';
import { type CallFailure, callFailure } from '@app/calls';
import type { Redaction } from '@app/privacy';
import type { LegEnd } from '@app/telephony';
import type { ToolRun } from '@app/tools';
import { type SessionEnd, type SessionEvent, summaryOf, type TurnWords } from '@app/voice';
import type { EventWriter } from '../call/event-writer.js';
import type { ConversationClock } from './conversation-clock.js';
import type { LiveWordsService } from './live-words.service.js';
import type { Silence } from '../media/recording-silences.js';
import { RedactedEvents } from './redacted-events.js';
import { TranscriptPauses } from './transcript-pauses.js';

type EndEvent = Extract<SessionEvent, { type: 'ended' }>;

/** The end of a conversation as the row of its call says it. */
export type ConversationEnd = Pick<EndEvent, 'cause' | 'ended_by'>;

/** The end of the line, and what it makes of the end of the session. */
interface EndOfLine {
  status: LegEnd['status'];
  sipCode: number | undefined;
  endOf: (left: SessionEnd) => ConversationEnd;
}

/** The call whose conversation is kept. */
interface RecordedCall {
  callId: string;
  remoteParty: 'caller' | 'callee';
  /** Null: nothing is redacted. */
  redaction: Redaction | null;
}

/**
 * The conversation of one call as it may be stored: every event, word and summary of the call passes through here first, and what is hidden
 * here appears nowhere else.
 */
export class ConversationRecord {
  private readonly kept: SessionEvent[] = [];
  /** The runs of tools whose event has not arrived yet. */
  private readonly runs = new Map<string, ToolRun>();
  private readonly pauses = new TranscriptPauses();
  private readonly secrets: RedactedEvents | undefined;
  /** From the end of the line on. */
  private line: EndOfLine | undefined;

  constructor(
    private readonly writer: EventWriter,
    private readonly liveWords: LiveWordsService,
    private readonly clock: ConversationClock,
    private readonly call: RecordedCall,
  ) {
    const { redaction } = call;
    this.secrets = redaction
      ? new RedactedEvents(redaction, (event, redacted) => this.store(event, redacted))
      : undefined;
  }

  /** Everything that happened in the conversation so far, in order. */
  get events(): SessionEvent[] {
    return this.secrets ? [...this.kept, ...this.secrets.waiting] : this.kept;
  }

  /** Why the agent was given up, as a sentence; undefined: it was not. */
  get failureReason(): string | undefined {
    const errors = this.events.filter((event) => event.type === 'error');
    return errors.findLast(({ code }) => code === 'agent_provider_error')?.reason;
  }

  /** What must not be heard in the recording, since the answer; final after `close`. */
  get silences(): readonly Silence[] {
    return this.hidesAudio ? (this.secrets?.silences ?? []) : [];
  }

  /** Secrets are not heard in the recording either. */
  get hidesAudio(): boolean {
    return this.call.redaction?.audio ?? false;
  }

  /** A text about the conversation as it may be stored. */
  redact(text: string): string {
    return this.secrets?.redact(text) ?? text;
  }

  /** JSON as it may be stored. */
  redactValue<T>(value: T): T {
    return this.secrets ? (this.secrets.redactValue(value) as T) : value;
  }

  /** False: everything may be stored as it is. */
  get isRedacted(): boolean {
    return this.secrets !== undefined;
  }

  /** What was said so far, as it may be stored. */
  get summary(): string {
    return this.redact(summaryOf(this.events, this.call.remoteParty));
  }

  /** An event of the line or of a transfer. */
  note(type: string, data: Record<string, unknown>): void {
    const at = this.clock.now();
    const store = (stored: Record<string, unknown>): void =>
      this.writer.add({ at, type, data: { at_ms: this.clock.msOf(at), ...stored } });
    if (this.secrets) this.secrets.note(data, store);
    else store(data);
  }

  /** A tool of the account ran; its event follows. */
  addRun(toolCallId: string, run: ToolRun): void {
    this.runs.set(toolCallId, run);
  }

  /** Words and keys are not stored until they are shown again. */
  hideWords(isHidden: boolean): void {
    const { nowMs } = this.clock;
    if (isHidden ? this.pauses.pause(nowMs) : this.pauses.resume(nowMs))
      this.note(isHidden ? 'recording_paused' : 'recording_resumed', {});
  }

  /** The words of a running turn so far. */
  showWords(reported: TurnWords): void {
    const words = { ...reported, started_ms: reported.started_ms + this.clock.joinedMs };
    if (this.pauses.hides(words.started_ms, this.clock.nowMs)) return;
    const role = words.role === 'callee' ? this.call.remoteParty : words.role;
    const text = this.secrets?.running(words.role, words.text) ?? words.text;
    if (text !== '') this.liveWords.spoken(this.call.callId, { ...words, text, role });
  }

  /** The line has ended: a session that lasts until then ends as the call does. */
  lineEnded(end: EndOfLine): void {
    this.line = end;
  }

  /** An event of the session. */
  hear(reported: SessionEvent): void {
    const event = reported.type === 'ended' ? this.asCallEnded(reported) : reported;
    this.keep(addTime(event, this.clock.joinedMs));
  }

  /** An event whose times count from the answer. */
  keep(since: SessionEvent): void {
    const event = this.pauses.withoutHidden(since);
    if (this.secrets) this.secrets.add(event);
    else this.store(event, []);
  }

  /** Resolves when the events so far are stored. */
  flush(): Promise<void> {
    return this.writer.flush();
  }

  /** The conversation is over. */
  async close(): Promise<void> {
    this.secrets?.close();
    await this.liveWords.forget(this.call.callId);
    await this.writer.flush();
  }

  /** The session does not know who of the parties of the call, or of the service, ended it. */
  private asCallEnded(event: EndEvent): EndEvent {
    const { cause, ended_by: by } = event;
    const endedBy = by === 'agent' || by === 'callee' ? by : 'system';
    if (this.line) return { ...event, ...this.line.endOf({ cause, endedBy }) };
    return by === 'callee' ? { ...event, ended_by: this.call.remoteParty } : event;
  }

  private store(event: SessionEvent, redacted: { kind: string; count: number }[]): void {
    const ran = this.takeRun(event);
    this.kept.push(event.type === 'tool_call' && ran ? { ...event, ok: ran.ok } : event);
    if (event.type === 'turn') this.liveWords.turnEnded(this.call.callId, event.turn);
    const { type, at_ms, ...data } = event.type === 'turn' ? withoutTimes(event) : event;
    const failure = event.type === 'ended' ? { failure: this.failureOf(event) } : {};
    const role = 'role' in data && data.role === 'callee' ? { role: this.call.remoteParty } : {};
    this.writer.add({
      at: type === 'early_media' ? this.clock.now() : this.clock.timeOf(at_ms),
      type,
      data: { at_ms, ...data, ...role, ...failure, ...ran, ...(redacted.length > 0 && { redacted }) },
    });
  }

  /** As the row of the call has it. Before the end of its line, an answered call ends as `completed`. */
  private failureOf({ cause }: EndEvent): CallFailure | null {
    const reason = cause === 'agent_provider_error' ? this.failureReason : undefined;
    return callFailure({
      status: this.line?.status ?? 'completed',
      hangup_cause: cause,
      sip_code: this.line?.sipCode ?? null,
      failure_reason: reason ?? null,
    });
  }

  /** For a tool of the account its actions decide about success; that they ran is not enough. */
  private takeRun(event: SessionEvent): ReturnType<typeof toolRunData> | undefined {
    if (event.type !== 'tool_call') return undefined;
    const run = this.runs.get(event.tool_call_id);
    this.runs.delete(event.tool_call_id);
    if (!run) return undefined;
    return this.redactValue(toolRunData(run));
  }
}

/** The event with all of its times, which then count from the answer of the call, as the recording does. */
function addTime(event: SessionEvent, ms: number): SessionEvent {
  if (ms === 0) return event;
  const moved = { ...event, at_ms: event.at_ms + ms };
  if (moved.type === 'turn_started') return { ...moved, started_ms: moved.started_ms + ms };
  if (moved.type === 'tool_call') return { ...moved, started_ms: moved.started_ms + ms, ended_ms: moved.ended_ms + ms };
  if (moved.type !== 'turn') return moved;
  const { latency, words } = moved;
  return {
    ...moved,
    started_ms: moved.started_ms + ms,
    ended_ms: moved.ended_ms + ms,
    ...(latency && { latency: { ...latency, input_ended_ms: latency.input_ended_ms + ms } }),
    ...(words && {
      words: words.map(({ text, start_ms, end_ms }) => ({ text, start_ms: start_ms + ms, end_ms: end_ms + ms })),
    }),
  };
}

const withoutTimes = ({ words: _words, ...turn }: Extract<SessionEvent, { type: 'turn' }>) => turn;
