import { silentFrame, type G711, type MediaPort } from '@app/telephony';
import { Speech } from '@app/voice';

const KEY_MS = 100;

/** The media of a simulated call: all audio is played at once, and the user is silent. */
export class SilentLine implements MediaPort {
  readonly codec: G711 = 'PCMU';
  readonly rate = 8000;
  readonly queuedMs = 0;
  private readonly silence = silentFrame(this.codec);
  private frameListener: (frame: Buffer) => void = () => undefined;
  private dtmfListener: (digit: string, durationMs: number) => void = () => undefined;

  /** One frame of silence: the session checks its timers. */
  tick(): void {
    this.frameListener(this.silence);
  }

  press(digit: string): void {
    this.dtmfListener(digit, KEY_MS);
  }

  onFrame(listener: (frame: Buffer) => void): () => void {
    this.frameListener = listener;
    return () => (this.frameListener = () => undefined);
  }

  onDtmf(listener: (digit: string, durationMs: number) => void): () => void {
    this.dtmfListener = listener;
    return () => (this.dtmfListener = () => undefined);
  }

  write(_audio: Buffer, mark?: (played: boolean) => void): void {
    mark?.(true);
  }

  flush(): { playedMs: number; droppedMs: number } {
    return { playedMs: 0, droppedMs: 0 };
  }

  attenuate(): void {
    // A simulated call has no audio.
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  sendDtmf(): Promise<void> {
    return Promise.resolve();
  }
}

/** A frame of silence for every sentence: a simulated call needs no synthesis. */
export const SILENT_SPEECH = new Speech({ clip: () => Promise.resolve(new Int16Array(160)) });
