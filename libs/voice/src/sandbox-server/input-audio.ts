import { type G711, type VoiceEvent } from '@app/telephony';
import { asMuLaw, bytesPerMs } from './audio-format.js';
import type { AudioFormat } from './client-events.js';
import { Refused } from './protocol.js';
import { Utterances } from './utterances.js';

const FRAME_MS = 20;
/** A commit of less than this is a client's mistake. */
const SHORTEST_COMMIT_MS = 100;

/** What the client sends of the caller's voice: counted, and listened to, never kept. */
export class InputAudio {
  private readonly frameBytes: number;
  private readonly codec: G711;
  private readonly utterances: Utterances;
  private rest: Buffer = Buffer.alloc(0);
  private uncommittedBytes = 0;
  private audioMs: number;

  /** `silenceMs`: this much of it ends an utterance. `beforeMs`: what came before, in another format. */
  constructor(
    readonly format: AudioFormat,
    readonly silenceMs: number,
    beforeMs = 0,
  ) {
    this.frameBytes = FRAME_MS * bytesPerMs(format);
    this.codec = format.type === 'audio/pcma' ? 'PCMA' : 'PCMU';
    this.utterances = new Utterances(this.codec, silenceMs, beforeMs);
    this.audioMs = beforeMs;
  }

  /** Starts and ends of speech in what came, in order; `atMs` counts all audio of this connection. */
  append(base64: string): VoiceEvent[] {
    const bytes = Buffer.from(base64, 'base64');
    this.uncommittedBytes += bytes.length;
    const audio = this.rest.length > 0 ? Buffer.concat([this.rest, bytes]) : bytes;
    const whole = audio.length - (audio.length % this.frameBytes);
    this.rest = audio.subarray(whole);
    const events: VoiceEvent[] = [];
    for (let at = 0; at < whole; at += this.frameBytes) {
      const event = this.hear(audio.subarray(at, at + this.frameBytes));
      if (event) events.push(event);
    }
    return events;
  }

  /**
   * How long what is committed is, in milliseconds.
   * @throws Refused
   */
  commit(): number {
    const ms = this.uncommittedBytes / bytesPerMs(this.format);
    if (ms < SHORTEST_COMMIT_MS) {
      const message = `Error committing input audio buffer: buffer too small. Expected at least ${SHORTEST_COMMIT_MS}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`;
      throw new Refused('input_audio_buffer_commit_empty', message);
    }
    this.clear();
    return ms;
  }

  clear(): void {
    this.uncommittedBytes = 0;
  }

  /** The same with other settings; positions go on from where they are. */
  changed(format: AudioFormat, silenceMs: number): InputAudio {
    const isSame = format.type === this.format.type && silenceMs === this.silenceMs;
    return isSame ? this : new InputAudio(format, silenceMs, this.audioMs);
  }

  private hear(frame: Buffer): VoiceEvent | undefined {
    this.audioMs += FRAME_MS;
    return this.utterances.push(this.format.type === 'audio/pcm' ? asMuLaw(frame) : frame);
  }
}
