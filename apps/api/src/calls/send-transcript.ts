import { orderOfTurns, type TranscribedCall, type TranscriptTurn, turnsInChunks } from '@app/calls';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import type { Pool } from 'pg';
import { sendStream } from '../http/send-stream.js';

/** Sends a FoundTranscriptDto as a file, some turns at a time. */
export async function sendTranscript(
  pool: Pool,
  call: TranscribedCall,
  request: Request,
  response: Response,
): Promise<void> {
  const order = await orderOfTurns(pool, call.id);
  response.set({
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${call.id}.json"`,
    'Content-Type': 'application/json; charset=utf-8',
  });
  if (request.method === 'HEAD') return void response.end();
  // Without the mark 16 chunks would be read ahead of a slow client.
  const json = Readable.from(jsonOf(call, turnsInChunks(pool, call.id, order)), { highWaterMark: 1 });
  await sendStream(json, response);
}

/** The text of a FoundTranscriptDto, piece by piece. */
async function* jsonOf(
  { id, ended }: TranscribedCall,
  chunks: AsyncIterable<TranscriptTurn[]>,
): AsyncGenerator<string> {
  yield `{"data":{"call_id":${JSON.stringify(id)},"complete":${ended},"turns":[`;
  let separator = '';
  for await (const turns of chunks) {
    yield separator + turns.map((turn) => JSON.stringify(turn)).join(',');
    separator = ',';
  }
  yield ']}}';
}
