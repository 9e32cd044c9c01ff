import type { Clock } from '../clock.js';
import type { PlayedItem } from '../conversation/playback.js';
import type { ProviderEvent } from '../providers/voice-provider.js';

/** The way from the user's input to an answer; all durations count from the end of the input. */
export interface TurnLatency {
  /**
   * The end of the speech or the keys, or of the agent's speech that they did not interrupt: the answer cannot be heard before it. In
   * milliseconds since the answer of the call.
   */
  input_ended_ms: number;
  /** The end of the turn was recognised. */
  endpoint_ms: number;
  /** The model generated its first token. Absent: the provider cannot observe it. */
  first_token_ms?: number;
  /** For how long tools ran between the end of the turn and the first audio. Absent: none ran. */
  tools_ms?: number;
  /** The first audio arrived from the provider. */
  first_audio_ms: number;
  /** The first frame was sent to the phone. */
  heard_ms: number;
}

/** Times of the clock. */
interface Input {
  endedAt: number;
  endpointAt: number;
}

interface Answer extends Input {
  firstTokenAt: number | undefined;
  toolsMs: number;
  firstAudioAt: number;
}

/** Measures each answer of the agent, for all providers alike: only the first item after an input is its answer. */
export class TurnLatencies {
  /** The last input of the user that is not answered yet. */
  private input: Input | undefined;
  /** The responses since the last speech of the user began: earlier ones do not answer it. */
  private readonly responses = new Set<string>();
  /** Of these, the running ones that have neither spoken nor called a tool. */
  private readonly silent = new Set<string>();
  private token: { responseId: string; at: number } | undefined;
  private readonly answers = new Map<string, Answer>();
  /** Of the tools since the last input; earlier ones do not delay its answer. */
  private tools: ToolTime;
  /** The end of the last speech that was played completely, and that delays the answer to an input before its end. */
  private spokenUntil = 0;

  /** `timeOf`: the clock's time of a position in the user's audio. */
  constructor(
    private readonly clock: Clock,
    private readonly timeOf: (audioMs: number) => number,
  ) {
    this.tools = new ToolTime(clock);
  }

  /** Takes every event of the provider, before the session acts on it. */
  take(event: ProviderEvent): void {
    const now = this.clock.now();
    switch (event.type) {
      case 'speech_started':
        return this.began();
      case 'speech_stopped':
        this.input = { endedAt: Math.min(now, this.timeOf(event.audioMs)), endpointAt: now };
        this.tools = new ToolTime(this.clock);
        return;
      case 'turn_decision':
        if (event.decision.outcome !== 'turn_ended') this.input = undefined;
        else if (this.input) this.input.endpointAt = now;
        return;
      case 'response_started':
        this.responses.add(event.responseId);
        this.silent.add(event.responseId);
        return;
      case 'first_token':
        this.token = { responseId: event.responseId, at: now };
        return;
      case 'audio':
      case 'tool_call':
        this.silent.delete(event.responseId);
        return;
      case 'response_done':
        if (this.silent.delete(event.responseId) && event.status === 'completed') this.unanswered();
    }
  }

  /** The last input gets no answer: later words of the agent have another reason. */
  unanswered(): void {
    this.input = undefined;
  }

  /** The user pressed keys that end an input. */
  acted(): void {
    const now = this.clock.now();
    this.began();
    this.input = { endedAt: now, endpointAt: now };
    this.tools = new ToolTime(this.clock);
  }

  /** A tool of the agent runs until `work` is over. */
  async toolRuns(work: Promise<void>): Promise<void> {
    const { tools } = this;
    tools.began();
    try {
      await work;
    } finally {
      tools.ended();
    }
  }

  /** The first audio of an item that is played. */
  firstAudio(responseId: string, itemId: string): void {
    const { input, token } = this;
    if (!input || !this.responses.has(responseId)) return;
    this.input = undefined;
    const firstTokenAt = token?.responseId === responseId ? token.at : undefined;
    this.answers.set(itemId, { ...input, firstTokenAt, toolsMs: this.tools.ms, firstAudioAt: this.clock.now() });
  }

  /**
   * Of an ended item; `at` gives milliseconds since the answer of the call. `isLocal`: it is of the local voice. Undefined: it answers no
   * input, or was never heard.
   */
  of(item: PlayedItem, isLocal: boolean, at: (time: number) => number): TurnLatency | undefined {
    const answer = this.answers.get(item.itemId);
    this.answers.delete(item.itemId);
    const { spokenUntil } = this;
    if (item.lastSentAt !== undefined && !item.truncated && !(isLocal && this.isComfort(item)))
      this.spokenUntil = item.lastSentAt;
    const { heardAt } = item;
    if (!answer || heardAt === undefined) return undefined;
    const { endpointAt, firstTokenAt, toolsMs, firstAudioAt } = answer;
    const from = Math.max(answer.endedAt, spokenUntil);
    const since = (time: number): number => Math.max(0, Math.round(time - from));
    const tools_ms = Math.min(Math.round(toolsMs), since(firstAudioAt));
    return {
      input_ended_ms: at(from),
      endpoint_ms: since(endpointAt),
      ...(firstTokenAt === undefined ? {} : { first_token_ms: since(firstTokenAt) }),
      ...(tools_ms >= 1 && { tools_ms }),
      first_audio_ms: since(firstAudioAt),
      heard_ms: since(heardAt),
    };
  }

  private began(): void {
    this.input = undefined;
    this.responses.clear();
    this.silent.clear();
  }

  /** "One moment", spoken while the user waits for the answer, is a part of the wait. */
  private isComfort({ heardAt = 0 }: PlayedItem): boolean {
    const waiting = this.input ?? [...this.answers.values()].at(-1);
    return waiting !== undefined && heardAt > waiting.endpointAt;
  }
}

/** The time in which at least one tool runs. */
class ToolTime {
  private running = 0;
  private since = 0;
  private endedMs = 0;

  constructor(private readonly clock: Clock) {}

  get ms(): number {
    return this.endedMs + (this.running > 0 ? this.clock.now() - this.since : 0);
  }

  began(): void {
    if (this.running++ === 0) this.since = this.clock.now();
  }

  ended(): void {
    if (--this.running === 0) this.endedMs += this.clock.now() - this.since;
  }
}
