import { FRAME_MS } from '@app/telephony';
import type { Clock } from './clock.js';
import type { VoiceConnection } from './providers/voice-provider.js';

/** 15 s of speech are 120 KB; whoever speaks longer into an outage is understood from there on. */
const MAX_FRAMES = 15_000 / FRAME_MS;
/** The beginning of a word is over by the time somebody has noticed it. */
const BEFORE_SPEECH_MS = 600;
const QUIET_FRAMES = BEFORE_SPEECH_MS / FRAME_MS;

/**
 * The callee's audio on its way to the provider. What no provider has understood yet is kept and told again to the next
 * connection, faster than it was spoken: nothing that is said into an outage is lost.
 */
export class UserAudio {
  private kept: Buffer[] = [];
  /** When the last frame ended. */
  private until = 0;
  /** When the first frame that this connection was sent began. */
  private origin: number | undefined;

  constructor(private readonly clock: Clock) {}

  /** 20 ms that have just been heard. `matters`: they may be part of what is not understood yet. */
  push(frame: Buffer, connection: VoiceConnection | undefined, matters: boolean): void {
    this.until = this.clock.now();
    this.kept.push(frame);
    const surplus = this.kept.length - (matters || !connection ? MAX_FRAMES : QUIET_FRAMES);
    if (surplus > 0) this.kept.splice(0, surplus);
    if (!connection) return;
    this.origin ??= this.until - FRAME_MS;
    connection.sendAudio(frame);
  }

  /** Nobody listens any more; what was heard before `since` has been understood. */
  lost(since: number): void {
    this.origin = undefined;
    const frames = Math.ceil((this.until - since + BEFORE_SPEECH_MS) / FRAME_MS);
    this.kept.splice(0, Math.max(0, this.kept.length - Math.max(0, frames)));
  }

  /** Somebody listens: what was kept comes first. */
  connected(connection: VoiceConnection): void {
    this.origin = this.kept.length > 0 ? this.until - this.kept.length * FRAME_MS : undefined;
    for (const frame of this.kept) connection.sendAudio(frame);
  }

  /** The clock's time of a position in the audio of this connection. */
  timeOf(audioMs: number): number {
    return (this.origin ?? this.clock.now()) + audioMs;
  }
}
