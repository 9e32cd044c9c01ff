import type { VoiceActivity } from '@app/telephony';

export interface BargeInTimings {
  /** Speech of the callee that stops the agent. */
  interruptMs: number;
  /** The agent's first words cannot be interrupted for this long: the callee's own "hello" falls there. */
  guardMs: number;
}

export const DEFAULT_BARGE_IN: BargeInTimings = { interruptMs: 200, guardMs: 1000 };

const FRAME_MS = 20;

/** Decides, frame by frame, whether the callee speaks over the agent. */
export class BargeIn {
  private agentMs = 0;

  constructor(
    private readonly voice: Pick<VoiceActivity, 'push' | 'speechMs' | 'silenceMs'>,
    private readonly timings: BargeInTimings,
  ) {}

  /** Takes the callee's last 20 ms. True when the agent must stop. */
  heard(frame: Buffer, agentSpeaks: boolean): boolean {
    this.voice.push(frame);
    if (!agentSpeaks) return false;
    this.agentMs += FRAME_MS;
    // Speech lasts a while into the silence after it; a click and 200 ms of silence are no interruption.
    const voicedMs = this.voice.speechMs - this.voice.silenceMs;
    return this.guardIsOver && voicedMs >= this.timings.interruptMs;
  }

  /** Also for keys and the provider's own detection. */
  get guardIsOver(): boolean {
    return this.agentMs >= this.timings.guardMs;
  }
}
