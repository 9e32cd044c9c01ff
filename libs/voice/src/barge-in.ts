import { FRAME_MS, VoiceActivity, type G711 } from '@app/telephony';

export interface BargeInTimings {
  /** Speech of the user after which the agent becomes quieter; a cough is too short to stop it. */
  duckMs: number;
  /** Speech of the user that stops the agent. */
  interruptMs: number;
  /** The agent's first words cannot be interrupted for this long: the user's own "hello" falls into that time. */
  guardMs: number;
}

const DEFAULT_BARGE_IN: BargeInTimings = { duckMs: 60, interruptMs: 200, guardMs: 1000 };

/** Longer than the gaps within words: after this silence the user has stopped speaking. */
const QUIET_MS = 100;

/** The change of the agent's audio: quieter, full level again, or stopped. */
type BargeInStep = 'duck' | 'restore' | 'stop';

/** Decides, frame by frame, whether the user speaks over the agent. */
export class BargeIn {
  private agentMs = 0;
  private isDucked = false;

  static on(codec: G711, given: Partial<BargeInTimings> = {}): BargeIn {
    const timings = { ...DEFAULT_BARGE_IN, ...given };
    const voice = new VoiceActivity(codec, { startMs: Math.min(DEFAULT_BARGE_IN.duckMs, timings.duckMs) });
    return new BargeIn(voice, timings);
  }

  constructor(
    private readonly voice: Pick<VoiceActivity, 'push' | 'speaking' | 'speechMs' | 'silenceMs'>,
    private readonly timings: BargeInTimings,
  ) {}

  /** Takes 20 ms of the user. Undefined: no change. */
  heard(frame: Buffer, agentSpeaks: boolean): BargeInStep | undefined {
    this.voice.push(frame);
    if (agentSpeaks) this.agentMs += FRAME_MS;
    const voicedMs = agentSpeaks && this.guardIsOver ? this.voicedMs : 0;
    if (voicedMs >= this.timings.interruptMs) return this.change(false, 'stop');
    const ducks = voicedMs > 0 && voicedMs >= this.timings.duckMs;
    return ducks === this.isDucked ? undefined : this.change(ducks, ducks ? 'duck' : 'restore');
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

  private change(isDucked: boolean, step: BargeInStep): BargeInStep {
    this.isDucked = isDucked;
    return step;
  }
}
