import { FRAME_MS, VoiceActivity, type G711 } from '@app/telephony';

export interface BargeInTimings {
  /** Speech of the callee after which the agent becomes quieter: a cough does not yet stop it. */
  duckMs: number;
  /** Speech of the callee that stops the agent. */
  interruptMs: number;
  /** The agent's first words cannot be interrupted for this long: the callee's own "hello" falls there. */
  guardMs: number;
}

const DEFAULT_BARGE_IN: BargeInTimings = { duckMs: 60, interruptMs: 200, guardMs: 1000 };

/** Longer than the gaps within words: after that much quiet, whoever spoke has stopped. */
const QUIET_MS = 100;

/** What the agent's audio has to do: become quieter, come back, or stop. */
type BargeInStep = 'duck' | 'restore' | 'stop';

/** Decides, frame by frame, whether the callee speaks over the agent. */
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

  /** Takes the callee's last 20 ms. Undefined: nothing changes. */
  heard(frame: Buffer, agentSpeaks: boolean): BargeInStep | undefined {
    this.voice.push(frame);
    if (agentSpeaks) this.agentMs += FRAME_MS;
    const voicedMs = agentSpeaks && this.guardIsOver ? this.voicedMs : 0;
    if (voicedMs >= this.timings.interruptMs) return this.change(false, 'stop');
    const ducks = voicedMs > 0 && voicedMs >= this.timings.duckMs;
    return ducks === this.isDucked ? undefined : this.change(ducks, ducks ? 'duck' : 'restore');
  }

  /** Also for keys and the provider's own detection. */
  get guardIsOver(): boolean {
    return this.agentMs >= this.timings.guardMs;
  }

  get userSpeaks(): boolean {
    return this.voice.speaking;
  }

  /** Speech lasts a while into the silence after it; what is over by now interrupts nothing, least of all the answer to it. */
  private get voicedMs(): number {
    const { speechMs, silenceMs } = this.voice;
    return silenceMs < QUIET_MS ? speechMs - silenceMs : 0;
  }

  private change(isDucked: boolean, step: BargeInStep): BargeInStep {
    this.isDucked = isDucked;
    return step;
  }
}
