import { open, type FileHandle } from 'node:fs/promises';
import { decodeSample, silenceByte, transcode } from './g711.js';
import { FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';
import { WAV_HEADER_BYTES, wavHeader } from './wav-header.js';

const CHANNELS = 2;
const RATE = 8_000;
const FRAME_WAV_BYTES = FRAME_BYTES * CHANNELS * 2;
const BYTES_PER_MS = (RATE * CHANNELS * 2) / 1_000;

/** One second of audio per write. */
const BLOCK_BYTES = RATE * CHANNELS * 2;
/** A disk that is this many seconds behind ends the recording: memory stays bounded and the call goes on. */
const MAX_WAITING_BLOCKS = 16;
/** A process that dies leaves a file that plays up to the last of these. */
const BLOCKS_PER_HEADER = 5;

/** Far-end frames may come this far ahead of the clock before the oldest are left out. */
const MAX_AHEAD_FRAMES = 100 / FRAME_MS;
/** Mode of the file: a recording is personal data. */
const OWNER_ONLY = 0o600;
const TICKS_PER_SECOND = 1_000 / FRAME_MS;

export interface Recording {
  path: string;
  bytes: number;
  durationMs: number;
}

/** `recording` is what was written and plays, also when an error (disk full, no such folder) ended it early. */
export interface RecordingOutcome {
  recording?: Recording;
  recordingError?: Error;
}

/**
 * A stereo WAV of 16-bit samples at 8 kHz (left: far end, right: what we sent), streamed to disk. The clock of the call drives it,
 * one frame of both channels per 20 ms tick, so that the channels stay aligned whatever the network does.
 */
export class WavRecorder {
  private readonly heardFrames: Buffer[] = [];
  private leastAhead = Infinity;
  private ticks = 0;
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  private blockUsed = 0;
  private readonly waiting: Buffer[] = [];
  private file: FileHandle | undefined;
  private writtenBytes = 0;
  private writtenBlocks = 0;
  private error: Error | undefined;
  private writing: Promise<void> | undefined;
  private readonly silence: number;

  constructor(
    private readonly path: string,
    private readonly codec: G711,
  ) {
    this.silence = decodeSample(codec, silenceByte(codec));
  }

  /** A frame from the far end; written with the next tick that has none before it. */
  heard(frame: Buffer, codec: G711): void {
    if (this.error) return;
    this.heardFrames.push(transcode(frame, codec, this.codec));
    if (this.heardFrames.length > MAX_AHEAD_FRAMES) this.heardFrames.shift();
  }

  /** 20 ms have passed. `sent` is the frame that went out, absent for silence. */
  tick(sent?: Buffer): void {
    if (this.error) return;
    this.realign();
    this.appendFrame(this.heardFrames.shift(), sent);
  }

  /** Frames that always wait have lost their place to silence earlier: leaving them out brings the channels together again. */
  private realign(): void {
    this.leastAhead = Math.min(this.leastAhead, Math.max(0, this.heardFrames.length - 1));
    if (++this.ticks % TICKS_PER_SECOND !== 0) return;
    this.heardFrames.splice(0, this.leastAhead);
    this.leastAhead = Infinity;
  }

  private appendFrame(left: Buffer | undefined, right: Buffer | undefined): void {
    let at = this.blockUsed;
    for (let i = 0; i < FRAME_BYTES; i++) {
      this.block.writeInt16LE(left ? decodeSample(this.codec, left[i] as number) : this.silence, at);
      this.block.writeInt16LE(right ? decodeSample(this.codec, right[i] as number) : this.silence, at + 2);
      at += 4;
    }
    this.blockUsed = at;
    if (this.blockUsed + FRAME_WAV_BYTES > BLOCK_BYTES) this.passBlockOn();
  }

  private passBlockOn(): void {
    if (this.waiting.length >= MAX_WAITING_BLOCKS) {
      this.fail(new Error('The disk is too slow for the recording.'));
      return;
    }
    this.waiting.push(this.block.subarray(0, this.blockUsed));
    this.block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.blockUsed = 0;
    this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
  }

  private async writeWaiting(): Promise<void> {
    try {
      this.file ??= await open(this.path, 'w', OWNER_ONLY);
      for (let block = this.waiting.shift(); block; block = this.waiting.shift()) {
        await writeFully(this.file, block, WAV_HEADER_BYTES + this.writtenBytes);
        this.writtenBytes += block.length;
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
    this.heardFrames.length = 0;
  }

  /** Resolves when every whole second so far is on disk. */
  async written(): Promise<void> {
    await this.writing;
  }

  /** Writes what is left and the final header. Call once; nothing may follow. */
  async finish(): Promise<RecordingOutcome> {
    if (this.blockUsed > 0 && !this.error) this.passBlockOn();
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

async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
