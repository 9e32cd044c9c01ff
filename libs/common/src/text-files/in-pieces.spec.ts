import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { inPieces } from './in-pieces.js';

describe('inPieces', () => {
  it('passes all bytes on in order and lets other work run between pieces', async () => {
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, i) => i % 251));
    const pieces: Buffer[] = [];
    let turns = 0;
    const again = (): void => {
      turns++;
      timer = setImmediate(again);
    };
    let timer = setImmediate(again);
    for await (const piece of Readable.from([bytes]).pipe(inPieces())) pieces.push(piece as Buffer);
    clearImmediate(timer);
    expect(Buffer.concat(pieces)).toEqual(bytes);
    expect(pieces.every(({ length }) => length <= 4_096)).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
  });
});
