import type { G711 } from '@app/telephony';
import type { Clock } from '../../clock.js';
import { Watchdog } from '../socket/watchdog.js';
import type { ProviderEvent } from '../voice-provider.js';

/** Silence that separates two turns of the agent. */
const AGENT_PAUSE_MS = 1_000;
/** Time that a requested response may take to its first audio. */
const BEGIN_MS = 8_000;
/** The magnitude of a G.711 byte, on a logarithmic scale of 128; lower ones are below -36 dBFS. */
const AUDIBLE = 32;
const SIGN = 0x7f;
const INVERTED: Record<G711, number> = { PCMU: 0xff, PCMA: 0x55 };

/**
 * A live model streams audio without boundaries. A session needs responses: one is from the first audible audio, or from a
 * request, to a pause.
 */
export class AgentSpeechSegments {
  private count = 0;
  private current: { responseId: string; itemId: string } | undefined;
  /** Words that arrived before their audio. */
  private early = '';
  private readonly pause: Watchdog;
  private readonly beginning: Watchdog;

  constructor(
    clock: Clock,
    private readonly codec: G711,
    private readonly emit: (event: ProviderEvent) => void,
  ) {
    this.pause = new Watchdog(clock, AGENT_PAUSE_MS, () => this.end());
    this.beginning = new Watchdog(clock, BEGIN_MS, () => this.end());
  }

  get active(): boolean {
    return this.current !== undefined;
  }

  /** The agent was asked to speak. */
  expect(): void {
    this.beginning.feed();
    this.begin();
  }

  sound(audio: Buffer): void {
    if (this.isAudible(audio)) {
      this.beginning.stop();
      this.pause.feed();
      this.begin();
    }
    if (this.current) this.emit({ type: 'audio', ...this.current, audio });
  }

  words(text: string): void {
    if (this.current) this.emit({ type: 'agent_text', ...this.current, text });
    else this.early += text;
  }

  close(): void {
    this.pause.stop();
    this.beginning.stop();
  }

  private begin(): void {
    if (this.current) return;
    const responseId = `stretch-${++this.count}`;
    this.current = { responseId, itemId: `said-${this.count}` };
    this.emit({ type: 'response_started', responseId });
    if (this.early) this.emit({ type: 'agent_text', ...this.current, text: this.early });
    this.early = '';
  }

  private end(): void {
    if (!this.current) return;
    const { responseId } = this.current;
    this.current = undefined;
    this.close();
    this.emit({ type: 'response_done', responseId, status: 'completed' });
  }

  private isAudible(audio: Buffer): boolean {
    const inverted = INVERTED[this.codec];
    return audio.some((byte) => ((byte ^ inverted) & SIGN) >= AUDIBLE);
  }
}

/** Silence that ends a turn of the user. */
const USER_PAUSE_MS = 1_200;

/** The user's words arrive in pieces without turns; pieces without a pause between them are one turn. */
export class UserSpeechSegments {
  private count = 0;
  private current: { itemId: string; text: string; endMs: number } | undefined;
  private readonly pause: Watchdog;

  constructor(
    clock: Clock,
    private readonly emit: (event: ProviderEvent) => void,
  ) {
    this.pause = new Watchdog(clock, USER_PAUSE_MS, () => this.end());
  }

  words(text: string, startMs: number, endMs: number): void {
    if (!this.current) {
      this.current = { itemId: `heard-${++this.count}`, text: '', endMs };
      this.emit({ type: 'speech_started', itemId: this.current.itemId, audioMs: startMs });
    }
    this.current.text += text;
    this.current.endMs = endMs;
    this.pause.feed();
  }

  close(): void {
    this.pause.stop();
  }

  private end(): void {
    if (!this.current) return;
    const { itemId, text, endMs } = this.current;
    this.current = undefined;
    this.emit({ type: 'speech_stopped', itemId, audioMs: endMs });
    this.emit({ type: 'user_text', itemId, text: text.trim() });
  }
}
