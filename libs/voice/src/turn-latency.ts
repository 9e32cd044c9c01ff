import type { Clock } from './clock.js';
import type { ProviderEvent } from './providers/voice-provider.js';

/** The way from the user's speech to an answer; all durations count from the end of the speech. */
export interface TurnLatency {
  /** The end of the speech, the keys or the text, in milliseconds since the answer of the call. */
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
  private token: { responseId: string; at: number } | undefined;
  private readonly answers = new Map<string, Answer>();
  /** Of the tools since the last input; earlier ones do not delay its answer. */
  private tools: ToolTime;

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
        this.input = undefined;
        return this.responses.clear();
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
        return;
      case 'first_token':
        this.token = { responseId: event.responseId, at: now };
    }
  }

  /** The user pressed keys or wrote. */
  acted(): void {
    const now = this.clock.now();
    this.input = { endedAt: now, endpointAt: now };
    this.responses.clear();
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

  /** Of an ended item; `at` gives milliseconds since the answer of the call. Undefined: it answers no input, or was never heard. */
  of(itemId: string, heardAt: number | undefined, at: (time: number) => number): TurnLatency | undefined {
    const answer = this.answers.get(itemId);
    this.answers.delete(itemId);
    if (!answer || heardAt === undefined) return undefined;
    const { endedAt, endpointAt, firstTokenAt, toolsMs, firstAudioAt } = answer;
    const since = (time: number): number => Math.max(0, Math.round(time - endedAt));
    return {
      input_ended_ms: at(endedAt),
      endpoint_ms: since(endpointAt),
      ...(firstTokenAt === undefined ? {} : { first_token_ms: since(firstTokenAt) }),
      ...(toolsMs >= 1 && { tools_ms: Math.round(toolsMs) }),
      first_audio_ms: since(firstAudioAt),
      heard_ms: since(heardAt),
    };
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
