import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Streams `content` as the response, at the speed of the client. Rejects when `content` fails. */
export async function sendStream(content: Readable, response: Response): Promise<void> {
  try {
    await pipeline(content, response);
  } catch (error) {
    // The client closed the connection.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
