import { FRAME_MS } from '@app/telephony';
import type { Clock } from './clock.js';
import type { VoiceConnection } from './providers/voice-provider.js';

/** 15 s of speech are 120 KB; of a longer speech only the end is kept. */
const MAX_FRAMES = 15_000 / FRAME_MS;
/** Speech is detected after its beginning, so that audio before the detection is kept as well. */
const BEFORE_SPEECH_MS = 600;
const QUIET_FRAMES = BEFORE_SPEECH_MS / FRAME_MS;

/**
 * The user's audio on its way to the provider. Audio that no provider has processed yet is kept and replayed to the next
 * connection faster than real time: nothing said during an outage is lost.
 */
export class UserAudio {
  private kept: Buffer[] = [];
  /** When the last frame ended. */
  private until = 0;
  /** When the first frame that was sent over this connection began. */
  private origin: number | undefined;

  constructor(private readonly clock: Clock) {}

  /** Takes the last 20 ms. `matters`: they may be part of speech that is not processed yet. */
  push(frame: Buffer, connection: VoiceConnection | undefined, matters: boolean): void {
    this.until = this.clock.now();
    this.kept.push(frame);
    const surplus = this.kept.length - (matters || !connection ? MAX_FRAMES : QUIET_FRAMES);
    if (surplus > 0) this.kept.splice(0, surplus);
    if (!connection) return;
    this.origin ??= this.until - FRAME_MS;
    connection.sendAudio(frame);
  }

  /** The connection was lost; audio before `since` has been processed. */
  lost(since: number): void {
    this.origin = undefined;
    const frames = Math.ceil((this.until - since + BEFORE_SPEECH_MS) / FRAME_MS);
    this.kept.splice(0, Math.max(0, this.kept.length - Math.max(0, frames)));
  }

  /** Replays the kept audio to a new connection. */
  connected(connection: VoiceConnection): void {
    this.origin = this.kept.length > 0 ? this.until - this.kept.length * FRAME_MS : undefined;
    for (const frame of this.kept) connection.sendAudio(frame);
  }

  /** The clock's time of a position in this connection's audio. */
  timeOf(audioMs: number): number {
    return (this.origin ?? this.clock.now()) + audioMs;
  }
}
