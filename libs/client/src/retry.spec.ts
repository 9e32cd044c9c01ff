import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTrunkline } from './trunkline.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** Answers the n-th request with the n-th response and records the requests. */
async function service(...answers: Answer[]) {
  const came: { method: string; url: string; key: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const key = request.headers['idempotency-key'] as string | undefined;
      came.push({ method: request.method ?? '', url: request.url ?? '', key, body: Buffer.concat(parts).toString() });
      answers[Math.min(came.length, answers.length) - 1]!(request, response);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createTrunkline({ baseUrl: `http://127.0.0.1:${port}/`, token: 't', firstWaitMs: 1, retries: 2 });
  return { client, came };
}

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end('{"message":"m"}');
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();
/** Open timers keep a program running. */
const timersNow = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const cut: Answer = (request) => request.socket.destroy();

const order = { to_number: '+15550001111', agent_id: 1, number_id: 1 };
const path = { callId: '01a1fdff-7c73-7018-904a-345f2e3af7fc' };

describe('retries of a request', () => {
  it.each([
    ['a lost connection', cut],
    ['502', status(502)],
    ['503', status(503)],
    ['504', status(504)],
    ['429', status(429, { 'retry-after': '0' })],
  ])('happen after %s, for a POST with the same key and body', async (_, refusal) => {
    const { client, came } = await service(refusal, refusal, status(201));
    const { response } = await client.POST('/api/v1/calls', { body: order });
    expect(response.status).toBe(201);
    expect(came).toHaveLength(3);
    expect(came[0]).toMatchObject({ url: '/api/v1/calls', body: JSON.stringify(order) });
    expect(came[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(came.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  });

  it('send the idempotency key of the program', async () => {
    const { client, came } = await service(status(503), status(201));
    await client.POST('/api/v1/calls', { body: order, headers: { 'idempotency-key': 'order-17' } });
    expect(came.map(({ key }) => key)).toEqual(['order-17', 'order-17']);
  });

  it('send its file and repeat the field of a list', async () => {
    const { client, came } = await service(status(503), status(201));
    const file = new File(['# Rules'], 'rules.md');
    await client.POST('/api/v1/agents/{agent_id}/knowledge-bases', {
      params: { path: { agent_id: 1 } },
      body: { title: 'Rules', source_type: 'file', file, agent_ids: [2, 3] },
    });
    const parts =
      /name="title"\r\n\r\nRules\r\n[^]*name="file"; filename="rules.md"\r\n[^]*\r\n\r\n# Rules\r\n[^]*name="agent_ids"\r\n\r\n2\r\n[^]*name="agent_ids"\r\n\r\n3\r\n/;
    expect(came.map(({ body }) => body)).toEqual([expect.stringMatching(parts), expect.stringMatching(parts)]);
    expect(came[0]!.key).toBe(came[1]!.key);
  });

  it('end after the configured number, and the last response is returned', async () => {
    const { client, came } = await service(status(503));
    expect((await client.GET('/api/v1/calls/{callId}', { params: { path } })).response.status).toBe(503);
    expect(came).toHaveLength(3);
  });

  it('happen without an idempotency key only after 429', async () => {
    const { client, came } = await service(status(503), status(429, { 'retry-after': '0' }), status(200));
    const cancel = () => client.POST('/api/v1/calls/{callId}/cancel', { params: { path } });
    expect((await cancel()).response.status).toBe(503);
    expect((await cancel()).response.status).toBe(200);
    expect(came).toHaveLength(3);
  });

  it.each([400, 401, 404, 409, 422, 500])('do not happen after %i', async (code) => {
    const { client, came } = await service(status(code));
    expect((await client.GET('/api/v1/calls')).response.status).toBe(code);
    expect(came.map(({ key }) => key)).toEqual([undefined]);
  });

  it.each(['3600', inSeconds(3_600)])('do not happen if Retry-After exceeds the maximum delay: %s', async (asked) => {
    const { client, came } = await service(status(503, { 'retry-after': asked }));
    expect((await client.GET('/api/v1/calls')).response.status).toBe(503);
    expect(came).toHaveLength(1);
  });

  it('end when the signal aborts, and its reason is thrown', async () => {
    const over = new AbortController();
    const { client, came } = await service(() => over.abort(new Error('enough')));
    await expect(client.GET('/api/v1/calls', { signal: over.signal })).rejects.toThrow('enough');
    expect(came).toHaveLength(1);
  });

  it.each(['20', inSeconds(20)])('wait for the time in Retry-After: %s', async (asked) => {
    const over = new AbortController();
    let sent = 0;
    const client = createTrunkline({
      baseUrl: 'http://127.0.0.1',
      token: 't',
      firstWaitMs: 1,
      fetch: async () => {
        sent += 1;
        setImmediate(() => over.abort(new Error('enough')));
        return Response.json({}, { status: 503, headers: { 'retry-after': asked } });
      },
    });
    const timers = timersNow();
    await expect(client.GET('/api/v1/calls', { signal: over.signal })).rejects.toThrow('enough');
    expect(sent).toBe(1);
    expect(timersNow()).toBeLessThanOrEqual(timers);
  });
});
