import type { IncomingMessage } from 'node:http';

/** The whole body as text. Undefined: it is longer than `longest` bytes; the rest is read and dropped. */
export async function bodyOf(request: IncomingMessage, longest: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= longest) chunks.push(chunk);
  }
  return length > longest ? undefined : Buffer.concat(chunks).toString('utf8');
}
