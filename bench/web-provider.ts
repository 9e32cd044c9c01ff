import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/**
 * The first message of the process, and the answer to any message: ms of audio that its callers have sent, per connection, in order, and the
 * audio of the last message with a click.
 */
export type WebProviderMessage = { url: string } | { heardMs: number[]; clickMs: number };

/** Bytes of base64 in a millisecond of audio at 24 kHz, 16-bit, as the adapter sends it. */
const PCM24_BASE64_PER_MS = 64;
const G711_BASE64_PER_MS = 32 / 3;

interface Heard {
  base64: number;
  perMs: number;
  /** Audio of the last message with a click. */
  clickMs: number;
}

/** Silence in PCM or in G.711, as base64: nothing else in it. */
const SILENT = /^(?:[A/]+|(?:\/\/\/\/)+)=*$/;

/** A child process of the bench of web calls: the voice provider of its agents. It echoes all audio at once, in the Realtime protocol. */
async function main(): Promise<void> {
  const heard: Heard[] = [];
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket) => {
    const counter = { base64: 0, perMs: PCM24_BASE64_PER_MS, clickMs: 0 };
    heard.push(counter);
    echo(socket, counter);
  });
  await once(server, 'listening');
  process.on('message', () =>
    send({ heardMs: heard.map(({ base64, perMs }) => base64 / perMs), clickMs: heard.at(-1)?.clickMs ?? 0 }),
  );
  process.on('disconnect', () => process.exit(0));
  send({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/realtime` });
}

function echo(socket: WebSocket, counter: Heard): void {
  const tell = (event: object): void => socket.send(JSON.stringify(event));
  const ids = { response_id: 'r', item_id: 'i', output_index: 0, content_index: 0 };
  let isBegun = false;
  tell({ type: 'session.created', session: { type: 'realtime' } });
  socket.on('message', (data: Buffer) => {
    const event = JSON.parse(data.toString('utf8')) as { type: string; session?: unknown; audio?: string };
    if (event.type === 'session.update') {
      if (JSON.stringify(event.session).includes('audio/pcmu')) counter.perMs = G711_BASE64_PER_MS;
      tell({ type: 'session.updated', session: event.session });
    }
    if (event.type === 'response.create' && !isBegun) {
      isBegun = true;
      tell({ type: 'response.created', response: { id: 'r' } });
    }
    if (event.type !== 'input_audio_buffer.append' || event.audio === undefined) return;
    counter.base64 += event.audio.length;
    if (!SILENT.test(event.audio)) counter.clickMs = event.audio.length / counter.perMs;
    if (isBegun) tell({ type: 'response.output_audio.delta', ...ids, delta: event.audio });
  });
}

const send = (message: WebProviderMessage): void => void process.send?.(message);

await main();
