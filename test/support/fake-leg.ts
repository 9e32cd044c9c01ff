import type { LegEnd, LegEvents } from '@app/telephony';
import { EventEmitter } from 'node:events';

/** The remote party hung up. */
export const LEFT = { status: 'completed', cause: 'normal_clearing', endedBy: 'callee' } as LegEnd;

/** The leg of a transfer; the test plays the remote party. */
export class FakeLeg extends EventEmitter<LegEvents> {
  hungUpBy?: string;
  bridged: boolean | 'conference' = false;
  sent: string[] = [];
  /** Tasks that play, by kind. */
  playing: string[] = [];
  refersTo?: string;
  canBridge = true;

  attach(kind: string) {
    this.playing.push(kind);
    const stop = () => (this.playing = this.playing.filter((one) => one !== kind));
    return { post: stop, onMessage: () => undefined, done: Promise.resolve() };
  }

  async sendDtmf(keys: string): Promise<void> {
    this.sent.push(keys);
  }

  hangup(cause: string): void {
    if (this.hungUpBy !== undefined) return;
    this.hungUpBy = cause;
    queueMicrotask(() => this.emit('ended', { ...LEFT, cause, status: 'cancelled' } as LegEnd));
  }

  bridge(_other: unknown, isConference = false) {
    if (!this.canBridge) throw new Error('The legs are in two threads.');
    this.bridged = isConference ? 'conference' : true;
    return { release: () => (this.bridged = false) };
  }

  async refer(to: string) {
    this.refersTo = to;
    return { accepted: true, status: 202 };
  }
}
