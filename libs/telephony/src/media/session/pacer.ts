import { FRAME_MS } from './media-port.js';

/** Four slots per frame: 200 sessions send 50 packets every 5 ms instead of 200 every 20 ms. */
const SLOTS = 4;
const SLOT_MS = FRAME_MS / SLOTS;

/** After a stall this long the missed frames are skipped: sending them late would only add delay. */
const GIVE_UP_MS = 200;

/** Timers fire on whole milliseconds; waking this much early is closer to the deadline than another turn of the timer. */
const EARLY_MS = 0.5;

/** A component that sends one frame every 20 ms. */
export interface Paced {
  tick(): void;
  /** The process stalled: `frames` ticks are skipped. */
  skipped(frames: number): void;
}

export interface PacerClock {
  /** Milliseconds, monotonic, fractional. */
  now(): number;
  /** Calls back once, after about `ms`; returns the cancellation. */
  after(ms: number, callback: () => void): () => void;
}

const systemClock: PacerClock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

interface Slot {
  deadline: number;
  members: Set<Paced>;
}

/**
 * One loop for all sessions of a thread, on absolute deadlines: an interval timer per call loses about 1 % of the frames, because
 * every delay shifts all later ones. The loop runs while it has members.
 */
export class Pacer {
  private readonly slots: Slot[] = Array.from({ length: SLOTS }, () => ({ deadline: 0, members: new Set<Paced>() }));
  private wake = 0;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly clock: PacerClock = systemClock) {}

  /** `member` ticks every 20 ms from now on, in the emptiest slot. Returns a function that removes it; the loop stops without members. */
  join(member: Paced): () => void {
    const slot = this.slots.reduce((least, each) => (each.members.size < least.members.size ? each : least));
    slot.members.add(member);
    if (!this.cancelTimer) this.startLoop();
    return () => this.leave(slot, member);
  }

  /**
   * Runs the loop if a deadline has passed, and returns the time afterwards. Timers wait until the event loop has handled all datagrams that
   * have arrived, 20 ms for those of 300 calls, so it is called before each of them.
   */
  runDue(now: number): number {
    if (!this.cancelTimer || now < this.wake) return now;
    this.turn();
    return this.clock.now();
  }

  private leave(slot: Slot, member: Paced): void {
    slot.members.delete(member);
    if (this.slots.some((each) => each.members.size > 0)) return;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private startLoop(): void {
    const start = this.clock.now();
    this.slots.forEach((slot, index) => (slot.deadline = start + (index + 1) * SLOT_MS));
    this.wake = start + SLOT_MS;
    this.arm();
  }

  private arm(): void {
    this.cancelTimer?.(); // the last may leave and another join within one turn
    this.cancelTimer = this.clock.after(Math.max(0, this.wake - this.clock.now()), () => this.turn());
  }

  /**
   * Every turn runs each slot that is due once, and turns are 5 ms apart: after a delay a slot catches up at four times its pace
   * at most, never with a burst of packets.
   */
  private turn(): void {
    const now = this.clock.now();
    try {
      for (const slot of this.slots) this.runSlot(slot, now);
    } finally {
      // A listener that throws must not stop the audio of every other call.
      if (this.cancelTimer) {
        this.wake += SLOT_MS * (Math.floor((now + EARLY_MS - this.wake) / SLOT_MS) + 1);
        this.arm();
      }
    }
  }

  private runSlot(slot: Slot, now: number): void {
    if (slot.deadline > now + EARLY_MS) return;
    const late = now - slot.deadline;
    if (late > GIVE_UP_MS) {
      const frames = Math.floor(late / FRAME_MS);
      slot.deadline += frames * FRAME_MS;
      for (const member of slot.members) member.skipped(frames);
    }
    slot.deadline += FRAME_MS;
    for (const member of slot.members) member.tick();
  }
}

/** The loop of this thread. */
export const pacer = new Pacer();
