import { FRAME_BYTES } from './media-port.js';

/** Frames of one party that wait for the other clock; more is delay, not jitter. */
const MAX_FRAMES = 6;

/** Adds up the audio of three parties of a conference: the user and the agent of one line, and a guest on another. All at 8 kHz. */
export class ConferenceMixer {
  private readonly guestForUser = new FrameQueue();
  private readonly guestForAgent = new FrameQueue();
  private readonly user = new FrameQueue();

  /** `toGuest` takes 20 ms of the user and the agent together. */
  constructor(private readonly toGuest: (samples: Int16Array) => void) {}

  /** 20 ms of the guest. */
  guestSpoke(samples: Int16Array): void {
    this.guestForUser.push(samples);
    this.guestForAgent.push(samples);
  }

  /** 20 ms of the user; returns what the agent hears. */
  userSpoke(samples: Int16Array): Int16Array {
    this.user.push(samples);
    return sum(samples, this.guestForAgent.next());
  }

  /** Adds the guest to 20 ms of the agent for the user, 160 or 320 samples, in place. To be called for every sent frame. */
  mix(agent: Int16Array): void {
    const step = agent.length / FRAME_BYTES;
    const narrow = step === 1 ? agent : Int16Array.from({ length: FRAME_BYTES }, (_, i) => agent[i * step]!);
    this.toGuest(sum(narrow, this.user.next()));
    const guest = this.guestForUser.next();
    if (guest) for (let i = 0; i < agent.length; i++) agent[i] = limit(agent[i]! + sampleAt(guest, i / step));
  }
}

class FrameQueue {
  private readonly frames: Int16Array[] = [];

  push(frame: Int16Array): void {
    this.frames.push(frame);
    if (this.frames.length > MAX_FRAMES) this.frames.shift();
  }

  next(): Int16Array | undefined {
    return this.frames.shift();
  }
}

const limit = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

const sum = (one: Int16Array, other: Int16Array | undefined): Int16Array =>
  other ? one.map((sample, i) => limit(sample + (other[i] ?? 0))) : one.slice();

/** Between two samples: their mean. */
function sampleAt(samples: Int16Array, at: number): number {
  const before = samples[Math.floor(at)] ?? 0;
  return at % 1 === 0 ? before : (before + (samples[Math.ceil(at)] ?? before)) / 2;
}
