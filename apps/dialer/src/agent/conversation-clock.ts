import type { CallClock } from '../call/call-clock.js';

/** The time in one conversation, in milliseconds since the answer; before the answer, since the agent was prepared. */
export class ConversationClock {
  private answeredAt: number;
  /** Later than the answer for a caller that waited. */
  private joinedAt: number;

  constructor(private readonly clock: Pick<CallClock, 'now'>) {
    this.answeredAt = clock.now().getTime();
    this.joinedAt = this.answeredAt;
  }

  /** The agent, or the person in its place, has joined an answered call. */
  start(answeredAt: Date, joinedAt: Date): void {
    this.answeredAt = answeredAt.getTime();
    this.joinedAt = joinedAt.getTime();
  }

  /** The time of day. */
  now(): Date {
    return this.clock.now();
  }

  get nowMs(): number {
    return this.msOf(this.now());
  }

  msOf(time: Date): number {
    return time.getTime() - this.answeredAt;
  }

  timeOf(ms: number): Date {
    return new Date(this.answeredAt + ms);
  }

  /** From the answer until the agent joined, whose session counts from then on. */
  get joinedMs(): number {
    return this.joinedAt - this.answeredAt;
  }

  /** What is left of a conversation of at most `seconds`. A wait in the queue does not count. */
  leftMs(seconds: number): number {
    return Math.max(0, this.joinedAt + seconds * 1_000 - this.now().getTime());
  }
}
