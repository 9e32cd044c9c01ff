import { type FileHandle, open } from 'node:fs/promises';
import type { Placing } from './frame-timeline.js';
import { silenceByte } from '../codecs/g711.js';
import { FRAME_BYTES, FRAME_MS, type G711, type RecordingPause } from './media-port.js';
import { BLOCK_FRAMES, HELD_BACK_FRAMES, RecordingChannel } from './recording-channel.js';

const CHANNELS = 2;
const RATE = 8_000;
const BYTES_PER_MS = (RATE * CHANNELS * 2) / 1_000;
const SAMPLES_PER_MS = RATE / 1_000;
const BYTES_PER_PAIR = CHANNELS * 2;

const KEPT_FRAMES = HELD_BACK_FRAMES + BLOCK_FRAMES;
/** The recording ends when the disk is this many seconds behind: memory stays bounded and the call continues. */
const MAX_WAITING_BLOCKS = 16;
/** Seconds between two updates of the header; the file of a killed process plays up to the last update. */
const BLOCKS_PER_HEADER = 5;

/** Mode of the file: a recording is personal data. */
const OWNER_ONLY = 0o600;

export interface Recording {
  path: string;
  bytes: number;
  durationMs: number;
}

/** `recording` is the playable part, also when an error (disk full, no such folder) ended it early. */
export interface RecordingOutcome {
  recording?: Recording;
  recordingError?: Error;
}

/**
 * A stereo WAV of 16-bit samples at 8 kHz (left: remote party, right: sent audio), streamed to disk. The clock of the call drives it,
 * one frame of both channels per 20 ms tick. Both are written 200 ms later, so that late or reordered audio of the remote party is
 * still placed correctly.
 */
export class WavRecorder {
  private readonly track: RecordingChannel;
  /** The frames sent since the last write, one per tick, in their law: half the size of samples. */
  private readonly sent: Buffer;
  /** Whether the recording was paused at each of these ticks. */
  private readonly silenced: boolean[] = new Array<boolean>(KEPT_FRAMES).fill(false);
  private paused = false;
  private ticks = 0;
  /** Ticks whose audio is in a block. */
  private blockTicks = 0;
  /** When the recording began, in milliseconds. */
  private startedAt = Infinity;
  private readonly waiting: Buffer[] = [];
  private file: FileHandle | undefined;
  private writtenBytes = 0;
  private writtenBlocks = 0;
  private error: Error | undefined;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly codec: G711,
  ) {
    this.track = new RecordingChannel(codec);
    this.sent = Buffer.alloc(KEPT_FRAMES * FRAME_BYTES, silenceByte(codec));
  }

  /**
   * Audio of the remote party in the recording's law, with its position on the remote clock (see TimelineListener); the buffer is
   * copied.
   */
  heard(at: number, audio: Buffer, placing: Placing, nowMs: number): void {
    if (this.error) return;
    const now = Math.round(Math.max(0, nowMs - this.startedAt) * SAMPLES_PER_MS);
    this.track.place(at, audio, placing, now);
  }

  /** The remote clock restarts. */
  restarted(): void {
    this.track.restart();
  }

  /**
   * From the next tick on both channels are silent until `pause(false)`; the length of the recording stays that of the call. The remote
   * party's audio is placed by its own clock, so that audio which arrives late is silenced as well.
   */
  pause(isPaused: boolean): void {
    this.paused = isPaused;
  }

  /** 20 ms have passed. `sent` is the sent frame, absent for silence; it is copied. */
  tick(sent?: Buffer, nowMs = performance.now()): void {
    if (this.error) return;
    // A tick may be late, never early: the earliest tick shows when the recording began.
    this.startedAt = Math.min(this.startedAt, nowMs - this.ticks * FRAME_MS);
    this.append(sent);
    if (this.ticks > HELD_BACK_FRAMES) this.track.take();
    if (this.ticks - this.blockTicks === KEPT_FRAMES) this.queueBlock(BLOCK_FRAMES);
  }

  private append(sent?: Buffer): void {
    const slot = slotOf(this.ticks);
    if (sent && !this.paused) sent.copy(this.sent, slot, 0, FRAME_BYTES);
    else this.sent.fill(silenceByte(this.codec), slot, slot + FRAME_BYTES);
    this.silenced[this.ticks % KEPT_FRAMES] = this.paused;
    this.ticks++;
  }

  /** The delayed audio: the last 200 ms of both channels, and audio received since the last tick. */
  private appendDelayed(): void {
    for (let n = Math.min(HELD_BACK_FRAMES, this.ticks); n > 0; n--) this.track.take();
    while (this.blockTicks < this.ticks && !this.error) this.queueBlock(this.ticks - this.blockTicks);
    for (; this.track.holdsAudio; this.track.take()) this.append();
    if (this.blockTicks < this.ticks && !this.error) this.queueBlock(this.ticks - this.blockTicks);
  }

  /** Expands up to a second of both channels into one block. */
  private queueBlock(frames: number): void {
    if (this.waiting.length >= MAX_WAITING_BLOCKS) {
      this.fail(new Error('The disk is too slow for the recording.'));
      return;
    }
    const block = newBlock();
    const end = this.blockTicks + Math.min(frames, BLOCK_FRAMES);
    let used = 0;
    for (; this.blockTicks < end; this.blockTicks++, used += FRAME_BYTES) {
      const slot = slotOf(this.blockTicks);
      const sent = this.sent.subarray(slot, slot + FRAME_BYTES);
      this.track.interleave(block, used, sent, this.silenced[this.blockTicks % KEPT_FRAMES] === true);
    }
    this.waiting.push(Buffer.from(block.buffer, 0, used * BYTES_PER_PAIR));
    this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
  }

  private async writeWaiting(): Promise<void> {
    try {
      this.file ??= await open(this.path, 'w', OWNER_ONLY);
      for (let block = this.waiting.shift(); block; block = this.waiting.shift()) {
        await writeFully(this.file, block, WAV_HEADER_BYTES + this.writtenBytes);
        this.writtenBytes += block.length;
        reuse(block);
        if (this.writtenBlocks++ % BLOCKS_PER_HEADER === 0) await this.writeHeader(this.file);
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private async writeHeader(file: FileHandle): Promise<void> {
    await writeFully(file, wavHeader({ channels: CHANNELS, rate: RATE, dataBytes: this.writtenBytes }), 0);
  }

  private fail(error: Error): void {
    this.error ??= error;
    this.waiting.length = 0;
  }

  /** Resolves when every whole second so far is on disk. */
  async written(): Promise<void> {
    await this.writing;
  }

  /** Writes the remaining audio and the final header. Call once, as the last method. */
  async finish(): Promise<RecordingOutcome> {
    if (!this.error) this.appendDelayed();
    await this.written();
    if (!this.file) return this.error ? { recordingError: this.error } : {};
    await this.close(this.file);
    const recording = {
      path: this.path,
      bytes: WAV_HEADER_BYTES + this.writtenBytes,
      durationMs: this.writtenBytes / BYTES_PER_MS,
    };
    return {
      ...(this.writtenBytes > 0 && { recording }),
      ...(this.error && { recordingError: this.error }),
    };
  }

  private async close(file: FileHandle): Promise<void> {
    try {
      await this.writeHeader(file);
    } catch (error) {
      this.fail(error as Error);
    } finally {
      await file.close().catch((error: Error) => this.fail(error));
    }
  }
}

const slotOf = (tick: number): number => (tick % KEPT_FRAMES) * FRAME_BYTES;

/**
 * Written blocks, for all recordings of the thread: a new one per second and call is garbage outside of the heap, which V8 collects late.
 * An element is a pair of samples, left in the lower half: WAV is little-endian, like all processors of Node.
 */
const spare: Int32Array<ArrayBuffer>[] = [];
const MAX_SPARE = 64;

const newBlock = (): Int32Array<ArrayBuffer> => spare.pop() ?? new Int32Array(BLOCK_FRAMES * FRAME_BYTES);

function reuse({ buffer }: Buffer): void {
  if (spare.length < MAX_SPARE) spare.push(new Int32Array(buffer as ArrayBuffer));
}

/** The pauses of one recording, which may overlap, and may begin before it. */
export class RecordingPauses {
  private readonly by = new Set<RecordingPause>();
  private recorder: WavRecorder | undefined;

  /** Also without a recording. */
  get isPaused(): boolean {
    return this.by.size > 0;
  }

  /** Returns the recorder, which is paused from its first frame if the recording is. */
  begin(recorder: WavRecorder): WavRecorder {
    this.recorder = recorder;
    recorder.pause(this.isPaused);
    return recorder;
  }

  set(isPaused: boolean, by: RecordingPause = 'command'): void {
    if (isPaused) this.by.add(by);
    else this.by.delete(by);
    this.recorder?.pause(this.isPaused);
  }
}

async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

export const WAV_HEADER_BYTES = 44;

/** The RIFF header of 16-bit PCM. */
export function wavHeader(format: { channels: number; rate: number; dataBytes: number }): Buffer {
  const frameBytes = format.channels * 2;
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + format.dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16); // bytes of the format chunk
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(format.channels, 22);
  header.writeUInt32LE(format.rate, 24);
  header.writeUInt32LE(format.rate * frameBytes, 28);
  header.writeUInt16LE(frameBytes, 32);
  header.writeUInt16LE(16, 34); // bits per sample
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(format.dataBytes, 40);
  return header;
}
