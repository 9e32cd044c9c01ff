import { FRAME_MS, VoiceActivity, type G711 } from '@app/telephony';
import type { HearingClient, SpeechDetector } from '../hearing/hearing-client.js';

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
const MAX_HOLD_MS = 3_000;

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

  /** `neural` detects the voice; absent: energy does. */
  static on(codec: G711, given: Partial<BargeInTimings> = {}, neural?: Pick<HearingClient, 'voiceActivity'>): BargeIn {
    const timings = { ...DEFAULT_BARGE_IN, ...given };
    const startMs = Math.min(DEFAULT_BARGE_IN.duckMs, timings.duckMs);
    return new BargeIn(neural?.voiceActivity(codec, { startMs }) ?? new VoiceActivity(codec, { startMs }), timings);
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
    const voicedMs = agent.speaks && this.isGuardOver ? this.voicedMs : 0;
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
  get isGuardOver(): boolean {
    return this.agentMs >= this.timings.guardMs;
  }

  get isUserSpeaking(): boolean {
    return this.voice.speaking;
  }

  /** The silence so far; 0: the last frame was voice. */
  get silenceMs(): number {
    return this.voice.silenceMs;
  }

  /** The detector reports speech for a while after it has ended; such speech must not interrupt the answer to it. */
  private get voicedMs(): number {
    const { speechMs, silenceMs } = this.voice;
    return silenceMs < QUIET_MS ? speechMs - silenceMs : 0;
  }

  /** Nothing interrupts an agent that says goodbye, and a provider that was lost judges nothing. */
  private isHoldOver({ speaks, isJudged }: AgentAudio): boolean {
    return !speaks || !isJudged || this.voice.silenceMs >= UNJUDGED_MS || this.heldMs >= MAX_HOLD_MS;
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
