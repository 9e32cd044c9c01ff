import type { Chunk } from '../blocks.js';
import { BATCH_BYTES, BATCH_CHUNKS, type FromParser } from './parser-protocol.js';

/** Sends chunks to the parent, one batch at a time; the next batch follows when the parent has processed the last one. */
export class ChunkOutbox {
  /** Share of the document read so far. */
  fraction = 0;
  private readonly queue: { chunk: Chunk; fraction: number }[] = [];
  private sent = 0;
  private delivering = false;
  private ended: (() => void) | undefined;

  constructor(private readonly send: (message: FromParser) => void) {}

  add(chunks: Chunk[]): void {
    for (const chunk of chunks) this.queue.push({ chunk, fraction: this.fraction });
    if (this.queue.length >= BATCH_CHUNKS) this.deliver();
  }

  /** The parent has processed the last batch. */
  more(): void {
    this.delivering = false;
    if (this.queue.length > 0) this.deliver();
    else this.ended?.();
  }

  /** Resolves when the parent has processed everything. */
  finish(): Promise<void> {
    const total = this.sent + this.queue.length;
    this.queue.forEach((entry, index) => {
      entry.fraction = Math.max(entry.fraction, (this.sent + index + 1) / total);
    });
    return new Promise((resolve) => {
      this.ended = resolve;
      if (!this.delivering) this.more();
    });
  }

  private deliver(): void {
    if (this.delivering) return;
    const batch = this.queue.splice(0, this.batchLength());
    this.sent += batch.length;
    this.delivering = true;
    this.send({ type: 'chunks', chunks: batch.map(({ chunk }) => chunk), fraction: batch.at(-1)?.fraction ?? 1 });
  }

  private batchLength(): number {
    let bytes = 0;
    const tooMuch = this.queue.findIndex(({ chunk }) => (bytes += bytesOf(chunk)) > BATCH_BYTES);
    return Math.min(tooMuch < 0 ? this.queue.length : Math.max(1, tooMuch), BATCH_CHUNKS);
  }
}

const bytesOf = (chunk: Chunk): number => Buffer.byteLength(chunk.text) + Buffer.byteLength(chunk.headingPath.join());
