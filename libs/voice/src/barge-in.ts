import { FRAME_MS, VoiceActivity, type G711 } from '@app/telephony';
import type { AgentSpeech } from './agent-speech.js';
import type { SpeechDetector } from './hearing/hearing-client.js';
import type { ProviderLink } from './provider-link.js';
import type { SessionOptions } from './session-options.js';

export interface BargeInTimings {
  /** Speech of the user after which the agent becomes quieter; a cough is too short to stop it. */
  duckMs: number;
  /** Speech of the user that stops the agent, or holds it until the provider has judged the words. */
  interruptMs: number;
  /** The agent's first words cannot be interrupted for this long: the user's own "hello" falls into that time. */
  guardMs: number;
}

const DEFAULT_BARGE_IN: BargeInTimings = { duckMs: 60, interruptMs: 200, guardMs: 1000 };

/** Longer than the gaps within words: after this silence the user has stopped speaking. */
const QUIET_MS = 100;

/** Without a judgement, held audio continues this long after the user's voice: words are recognised within this time. */
const UNJUDGED_MS = 1_500;
/** A line that is silent for longer sounds dead; noise may count as voice for a long time. */
const LONGEST_HOLD_MS = 3_000;

/** The change of the agent's audio: quieter, full level again, stopped, or held and continued. */
type BargeInStep = 'duck' | 'restore' | 'stop' | 'hold' | 'continue';

/** The agent's audio in these 20 ms. */
interface AgentAudio {
  /** It plays and may be interrupted. */
  speaks: boolean;
  /** It is held. */
  isHeld?: boolean;
  /** The provider judges interruptions. */
  isJudged?: boolean;
}

/** Decides, frame by frame, whether the user speaks over the agent. */
export class BargeIn {
  /** The agent is quieter because of the user's voice. */
  isDucked = false;
  private agentMs = 0;
  private heldMs = 0;
  /** The current speech of the user does not interrupt, whatever its duration. */
  private isHarmless = false;

  static on(codec: G711, { settings, hearing }: Pick<SessionOptions, 'settings' | 'hearing'>): BargeIn {
    const timings = { ...DEFAULT_BARGE_IN, ...settings.bargeIn };
    const startMs = Math.min(DEFAULT_BARGE_IN.duckMs, timings.duckMs);
    const neural =
      settings.hearing?.voiceActivity === 'neural' ? hearing?.voiceActivity(codec, { startMs }) : undefined;
    return new BargeIn(neural ?? new VoiceActivity(codec, { startMs }), timings);
  }

  constructor(
    private readonly voice: SpeechDetector,
    private readonly timings: BargeInTimings,
  ) {}

  /** Takes 20 ms of the user. Undefined: no change. */
  heard(frame: Buffer, agent: AgentAudio): BargeInStep | undefined {
    this.voice.push(frame);
    if (agent.speaks) this.agentMs += FRAME_MS;
    this.heldMs = agent.isHeld ? this.heldMs + FRAME_MS : 0;
    if (!this.voice.speaking) this.isHarmless = false;
    const voicedMs = agent.speaks && this.guardIsOver ? this.voicedMs : 0;
    const ducks = voicedMs > 0 && voicedMs >= this.timings.duckMs;
    const interrupts = voicedMs >= this.timings.interruptMs && !(agent.isJudged && this.isHarmless);
    if (agent.isHeld && !(interrupts && !agent.isJudged))
      return this.isHoldOver(agent) ? this.continue(ducks) : undefined;
    if (interrupts) return this.change(false, agent.isJudged ? 'hold' : 'stop');
    return ducks === this.isDucked ? undefined : this.change(ducks, ducks ? 'duck' : 'restore');
  }

  /** To be called at the end of the call. */
  close(): void {
    this.voice.close?.();
  }

  /** The provider has judged the user's speech as no interruption. */
  harmless(): void {
    this.isHarmless = this.voice.speaking;
  }

  /** Applies to keys and the provider's own detection, too. */
  get guardIsOver(): boolean {
    return this.agentMs >= this.timings.guardMs;
  }

  get userSpeaks(): boolean {
    return this.voice.speaking;
  }

  /** The detector reports speech for a while after it has ended; such speech must not interrupt the answer to it. */
  private get voicedMs(): number {
    const { speechMs, silenceMs } = this.voice;
    return silenceMs < QUIET_MS ? speechMs - silenceMs : 0;
  }

  /** Nothing interrupts an agent that says goodbye, and a provider that was lost judges nothing. */
  private isHoldOver({ speaks, isJudged }: AgentAudio): boolean {
    return !speaks || !isJudged || this.voice.silenceMs >= UNJUDGED_MS || this.heldMs >= LONGEST_HOLD_MS;
  }

  private continue(ducks: boolean): BargeInStep {
    this.harmless();
    return this.change(ducks, 'continue');
  }

  private change(isDucked: boolean, step: BargeInStep): BargeInStep {
    this.isDucked = isDucked;
    return step;
  }
}

type InterruptedBy = 'speech' | 'dtmf' | 'provider';

/** Applies interruptions to the agent's audio. */
export class Interruptions {
  constructor(
    private readonly bargeIn: BargeIn,
    private readonly voice: AgentSpeech,
    private readonly link: Pick<ProviderLink, 'connection' | 'provider'>,
    private readonly isClosing: () => boolean,
  ) {}

  /** Takes 20 ms of the user. `isGuarded`: nothing interrupts the agent. */
  hear(frame: Buffer, isGuarded: boolean): void {
    const { voice, bargeIn, isJudged } = this;
    const step = bargeIn.heard(frame, { speaks: voice.plays && !isGuarded, isHeld: voice.isHeld, isJudged });
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

  /** The provider stopped its speech. Held speech was stopped by the user's words. */
  byProvider(): void {
    this.interrupt(this.voice.isHeld ? 'speech' : 'provider');
  }

  /** The provider has judged the user's speech as an acknowledgement or noise. */
  harmless(): void {
    this.bargeIn.harmless();
    this.voice.continue();
  }

  interrupt(by: InterruptedBy): void {
    if (this.voice.plays && !this.isClosing()) this.voice.stop(by);
  }

  private get isJudged(): boolean {
    const { connection, provider } = this.link;
    return connection !== undefined && provider.capabilities.judgesInterruptions === true;
  }
}
