import type { AgentSpeech } from './agent-speech.js';
import type { BargeIn } from './barge-in.js';
import type { ProviderLink } from '../provider-link/provider-link.js';
import type { ProviderEvent } from '../providers/voice-provider.js';

type InterruptedBy = 'speech' | 'dtmf' | 'provider';

/** Applies interruptions to the agent's audio. */
export class Interruptions {
  constructor(
    private readonly bargeIn: BargeIn,
    private readonly voice: AgentSpeech,
    private readonly link: Pick<ProviderLink, 'connection' | 'provider'>,
    private readonly isClosing: () => boolean,
    /** A message for a machine is said. */
    private readonly isScreened: () => boolean,
  ) {}

  /** Takes 20 ms of the user. `toolHasLine`: the agent does not play. */
  hear(frame: Buffer, toolHasLine: boolean): void {
    const { voice, bargeIn, isJudged } = this;
    // The screening holds its message itself.
    const isHeld = voice.isHeld && !this.isScreened();
    const speaks = voice.plays && !toolHasLine && !this.isGuarded;
    const step = bargeIn.heard(frame, { speaks, isHeld, isJudged });
    if (!step) return;
    voice.duck(bargeIn.isDucked);
    if (step === 'hold') voice.hold();
    if (step === 'continue') voice.continue();
    if (step === 'stop') this.interrupt('speech');
  }

  /** The provider detected speech of the user over the agent. */
  speechDetected(): void {
    if (!this.isJudged && this.bargeIn.guardIsOver) this.interrupt('speech');
  }

  /** Takes what the provider has judged. Held speech was stopped by the user's words. */
  take({ type }: ProviderEvent): void {
    if (type === 'interrupted') this.interrupt(this.voice.isHeld ? 'speech' : 'provider');
    if (type !== 'not_interrupted') return;
    this.bargeIn.harmless();
    this.voice.continue();
  }

  interrupt(by: InterruptedBy): void {
    if (this.voice.plays && !this.isGuarded) this.voice.stop(by);
  }

  private get isGuarded(): boolean {
    return this.isClosing() || this.isScreened();
  }

  private get isJudged(): boolean {
    const { connection, provider } = this.link;
    return connection !== undefined && provider.capabilities.judgesInterruptions === true;
  }
}
