import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { placeCall, placeCalls } from './place-calls.js';
import { createTrunkline, type Trunkline } from './trunkline.js';

const ORDER = { agent_id: 1, number_id: 1 };

let server: Server;
let client: Trunkline;
let received: { headers: IncomingHttpHeaders; body: unknown }[];

beforeAll(async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received.push({ headers: request.headers, body: JSON.parse(await text(request)) });
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":[]}');
  };
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createTrunkline({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'tk_1' });
});

beforeEach(() => {
  received = [];
});

afterAll(() => {
  server.close();
});

describe('requests that create calls', () => {
  it('send the idempotency key of the program, which can repeat the request after a crash', async () => {
    await placeCall(client, { ...ORDER, to_number: 'sip:a@127.0.0.1' }, { idempotencyKey: 'reminder-77' });
    await placeCalls(client, { ...ORDER, to_number: ['sip:a@127.0.0.1'] }, { idempotencyKey: 'reminder-78' });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['reminder-77', 'reminder-78']);
  });

  it('send a random idempotency key by default', async () => {
    await placeCall(client, { ...ORDER, to_number: 'sip:a@127.0.0.1' });
    await placeCall(client, { ...ORDER, to_number: 'sip:a@127.0.0.1' }, {});
    const [first, second] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  it('ask the service to reject duplicates unless the program allows them', async () => {
    const to_number = ['sip:a@127.0.0.1', 'sip:a@127.0.0.1'];
    await placeCalls(client, { ...ORDER, to_number });
    await placeCalls(client, { ...ORDER, to_number, reject_duplicates: false });
    expect(received.map(({ body }) => body)).toEqual([
      { ...ORDER, to_number, reject_duplicates: true },
      { ...ORDER, to_number, reject_duplicates: false },
    ]);
  });
});
