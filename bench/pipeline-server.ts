import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { decode } from '@app/telephony';
import { WebSocketServer, type WebSocket } from 'ws';

/** A long answer, so that it can be interrupted. */
const ANSWER =
  'This is the answer to your question. It goes on for a while, so that it can be interrupted at any moment. And on.';
const TONE = Buffer.from(
  Array.from({ length: 8_000 }, (_, i) => [0xff, 0x97, 0x8f, 0x97, 0x7f, 0x17, 0x0f, 0x17][i % 8]!),
);
const LOUD = 1_000;

/**
 * A child process of the pipeline bench: a transcriber, a model and a synthesizer that answer in the same turn of the event loop, in the
 * protocols of Deepgram, OpenAI and ElevenLabs. The transcriber recognises the beginning and the end of sound at once.
 */
async function main(): Promise<void> {
  const http = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on('connection', transcribe);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  process.send?.(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
}

function transcribe(socket: WebSocket): void {
  let ms = 0;
  let since: number | undefined;
  const results = (text: string, isFinal: boolean): void => {
    const start = (since ?? ms) / 1_000;
    const words = [{ word: text, punctuated_word: text, start, end: ms / 1_000, confidence: 1 }];
    const channel = { alternatives: [{ transcript: text, confidence: 1, words }] };
    socket.send(JSON.stringify({ type: 'Results', start, duration: ms / 1_000 - start, is_final: isFinal, channel }));
  };
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return;
    const isLoud = decode('PCMU', data).some((sample) => Math.abs(sample) > LOUD);
    ms += data.length / 8;
    if (isLoud && since === undefined) {
      since = ms - data.length / 8;
      socket.send(JSON.stringify({ type: 'SpeechStarted', timestamp: since / 1_000 }));
    }
    if (isLoud && ms === (since ?? 0) + 100) results('Where are you?', false);
    if (!isLoud && since !== undefined) {
      results('Where are you?', true);
      since = undefined;
    }
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _chunk of request);
  if (request.url?.startsWith('/v1/text-to-speech')) return speak(response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  response.end(`${chunk({ role: 'assistant', content: ANSWER })}${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** Five seconds of a tone. */
function speak(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const line = JSON.stringify({ audio_base64: TONE.toString('base64'), alignment: null });
  response.end(`${line}\n`.repeat(5));
}

await main();
