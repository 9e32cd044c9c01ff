import { decode } from '../codecs/g711.js';
import { Upsampler } from '../codecs/sub-band.js';
import { pcmSamples } from '../codecs/wire-codec.js';
import { FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';

/** 20 ms of a call for those who listen: 16-bit samples, user and agent alternating. */
export interface TappedFrame {
  /** As the recording has it: both channels are silent in its pauses. */
  recorded: Int16Array;
  /** In a pause of the recording: what is really said. */
  hidden?: Int16Array;
  rate: 8_000 | 16_000;
}

/** The user's audio begins with so many frames, because it waits for the clock of the sent audio. */
const PREFILL_FRAMES = 2;
/** More is delay. */
const MAX_FRAMES = 6;
/** The recording places late audio of a pause into the pause; here it arrives up to this much after its end. */
const AFTER_PAUSE_FRAMES = 200 / FRAME_MS;

/**
 * Both directions of a call in one stream, one frame per tick of its clock, at most 120 ms behind. The user's audio is that of the agent
 * and of bridged legs: in order, lost packets concealed. A wideband line is tapped at 16 kHz.
 */
export class StereoTap {
  private readonly waiting: Int16Array[] = [];
  private isFilling = true;
  private silentTicks = 0;
  private isWide = false;
  private readonly userDoubler = new Upsampler();
  private readonly agentDoubler = new Upsampler();

  constructor(
    private readonly law: G711,
    private readonly listener: (frame: TappedFrame) => void,
  ) {}

  /** 20 ms of the user; `wide`: the same as L16. */
  heard(frame: Buffer, wide?: Buffer): void {
    this.waiting.push(this.isWide ? this.widened(frame, wide) : decode(this.law, frame));
    if (this.waiting.length > MAX_FRAMES) this.waiting.shift();
    if (this.waiting.length >= PREFILL_FRAMES) this.isFilling = false;
  }

  /** 20 ms have passed. `sent`: in the port's law, absent for silence; `wide`: the same at 16 kHz, on a wideband line. */
  tick(isWide: boolean, isPaused: boolean, sent?: Buffer, wide?: Int16Array): void {
    if (isWide !== this.isWide) {
      this.isWide = isWide;
      this.waiting.length = 0;
      this.isFilling = true;
    }
    if (isPaused) this.silentTicks = AFTER_PAUSE_FRAMES;
    else if (this.silentTicks > 0) this.silentTicks--;
    const user = this.nextOfUser();
    const agent = this.agentSamples(sent, wide);
    const size = isWide ? 2 * FRAME_BYTES : FRAME_BYTES;
    const rate = isWide ? 16_000 : 8_000;
    const isUserSilent = isPaused || this.silentTicks > 0;
    const recorded = interleave(size, isUserSilent ? undefined : user, isPaused ? undefined : agent);
    this.listener(isUserSilent ? { recorded, hidden: interleave(size, user, agent), rate } : { recorded, rate });
  }

  private nextOfUser(): Int16Array | undefined {
    // A late frame makes the queue longer by itself.
    return this.isFilling ? undefined : this.waiting.shift();
  }

  private agentSamples(sent: Buffer | undefined, wide: Int16Array | undefined): Int16Array | undefined {
    if (!this.isWide) return sent && decode(this.law, sent);
    if (wide) return wide;
    return sent && double(this.agentDoubler, decode(this.law, sent));
  }

  private widened(frame: Buffer, wide: Buffer | undefined): Int16Array {
    return wide ? pcmSamples(wide) : double(this.userDoubler, decode(this.law, frame));
  }
}

function double(doubler: Upsampler, samples: Int16Array): Int16Array {
  const doubled = new Int16Array(2 * samples.length);
  doubler.process(samples, doubled);
  return doubled;
}

function interleave(size: number, left: Int16Array | undefined, right: Int16Array | undefined): Int16Array {
  const both = new Int16Array(2 * size);
  if (left) for (let i = 0; i < size; i++) both[2 * i] = left[i] ?? 0;
  if (right) for (let i = 0; i < size; i++) both[2 * i + 1] = right[i] ?? 0;
  return both;
}
