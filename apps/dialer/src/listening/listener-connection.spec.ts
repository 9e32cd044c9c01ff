import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { ListenerConnection } from './listener-connection.js';
import { silentStereo } from './listener-audio.js';

let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterAll(() => server.close());

/** The dialer's side of a listener, and the listener. */
async function connected(): Promise<{ socket: WebSocket; listener: WebSocket }> {
  const accepted = once(server, 'connection');
  const listener = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = (await accepted) as [WebSocket];
  await once(listener, 'open');
  return { socket, listener };
}

it('a listener that does not read is disconnected before more than 300 ms of audio wait in the process', async () => {
  const { socket, listener } = await connected();
  listener.pause();
  let left = 0;
  const connection = new ListenerConnection(socket, 'l16', {
    request: () => undefined,
    voice: () => undefined,
    closed: () => (left += 1),
  });
  const frame = silentStereo('l16');
  const most = 15 * frame.length;
  let waiting = 0;
  // The sockets of the operating system hold some megabytes, which a call fills in a minute.
  while (socket.readyState === WebSocket.OPEN) {
    connection.sendAudio(frame);
    waiting = Math.max(waiting, socket.bufferedAmount);
    await nextTurn();
  }
  // One more frame, with its header.
  expect(waiting).toBeLessThanOrEqual(most + frame.length + 16);
  expect(left).toBe(1);
  connection.sendAudio(frame);
  connection.send({ type: 'state' });
  listener.terminate();
});
