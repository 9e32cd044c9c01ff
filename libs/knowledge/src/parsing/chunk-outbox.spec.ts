import { describe, expect, it } from '@jest/globals';
import type { Chunk } from '../blocks.js';
import { BATCH_BYTES, BATCH_CHUNKS, type FromParser } from './parser-protocol.js';
import { ChunkOutbox } from './chunk-outbox.js';

const chunk = (ordinal: number, text = 'text'): Chunk => ({
  ordinal,
  text,
  headingPath: [],
  start: 0,
  end: 4,
  tokens: 1,
});
const chunks = (count: number, text?: string): Chunk[] => Array.from({ length: count }, (_, at) => chunk(at, text));

function outbox() {
  const sent: Extract<FromParser, { type: 'chunks' }>[] = [];
  return { sent, box: new ChunkOutbox((message) => message.type === 'chunks' && void sent.push(message)) };
}

describe('the chunk outbox of the parser', () => {
  it('sends one batch at a time, in order, and finishes after the last one', async () => {
    const { sent, box } = outbox();
    box.add(chunks(BATCH_CHUNKS * 2 + 1));
    expect(sent.map((batch) => batch.chunks.length)).toEqual([BATCH_CHUNKS]);
    let finished = false;
    const end = box.finish().then(() => (finished = true));
    box.more();
    box.more();
    await Promise.resolve();
    expect([sent.length, finished]).toEqual([3, false]);
    box.more();
    await end;
    expect(sent.flatMap((batch) => batch.chunks.map(({ ordinal }) => ordinal))).toEqual([
      ...Array(BATCH_CHUNKS * 2 + 1).keys(),
    ]);
    expect(sent.map(({ fraction }) => fraction)).toEqual([0, expect.closeTo(400 / 401), 1]);
  });

  it('limits the bytes of a batch, but sends a chunk that is larger', async () => {
    const { sent, box } = outbox();
    box.add([...chunks(3, 'ж'.repeat(BATCH_BYTES / 5)), chunk(3, 'x'.repeat(BATCH_BYTES + 1)), chunk(4)]);
    const end = box.finish();
    for (let batch = 0; batch < 4; batch++) box.more();
    await end;
    expect(sent.map((batch) => batch.chunks.length)).toEqual([2, 1, 1, 1]);
  });

  it('reports the share of the document with each batch', () => {
    const { sent, box } = outbox();
    box.fraction = 0.5;
    box.add(chunks(BATCH_CHUNKS));
    box.fraction = 0.9;
    box.add(chunks(1));
    expect(sent[0]?.fraction).toBe(0.5);
  });

  it('finishes at once if there are no chunks', () => expect(outbox().box.finish()).resolves.toBeUndefined());
});
