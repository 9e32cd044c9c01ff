import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { TestApi } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { aWorkspace, type Workspace } from '../support/factories.js';

const PROTOCOL = 'trunkline.v1';

/** The internal server of a dialer, without a dialer: it shows what the api sends, and answers what the test says. */
class Dialer {
  readonly requests: IncomingMessage[] = [];
  readonly sockets: WebSocket[] = [];
  /** Instead of a connection. */
  refusal: number | undefined;
  private readonly upgrades = new WebSocketServer({ noServer: true });

  private constructor(private readonly server: Server) {
    server.on('upgrade', (request, socket, head) => {
      this.requests.push(request);
      if (this.refusal !== undefined) {
        socket.end(`HTTP/1.1 ${this.refusal} Refused\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      this.upgrades.handleUpgrade(request, socket, head, (client) => {
        this.sockets.push(client);
        client.send(JSON.stringify({ type: 'ready' }));
      });
    });
  }

  static async start(): Promise<Dialer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Dialer(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.upgrades.clients) socket.terminate();
    this.server.close();
  }
}

/** A page. */
class Page {
  readonly texts: Record<string, unknown>[] = [];
  readonly frames: Buffer[] = [];
  readonly closed: Promise<number>;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.frames.push(data as Buffer);
      else this.texts.push(JSON.parse((data as Buffer).toString()) as Record<string, unknown>);
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** The first message of a type. */
  async has(type: string): Promise<Record<string, unknown>> {
    const found = await eventually(
      () => this.texts.find((text) => text['type'] === type),
      (text) => text !== undefined,
    );
    return found!;
  }
}

let api: TestApi;
let own: Workspace;
let dialer: Dialer;

beforeAll(async () => {
  api = await TestApi.start({ AUTH_FAILURES_PER_MINUTE: '20' });
  own = await aWorkspace(api.pool);
  dialer = await Dialer.start();
  await api.pool.query(
    `INSERT INTO dialers (id, lease_until, internal_address) VALUES ('one', now() + interval '1 hour', $1)`,
    [dialer.address],
  );
});
afterAll(async () => {
  await api.stop();
  dialer.close();
});
beforeEach(() => {
  dialer.refusal = undefined;
  dialer.requests.length = 0;
  dialer.sockets.length = 0;
});

interface WebCall {
  call_id: string;
  url: string;
  token: string;
}

const aCall = async (): Promise<WebCall> => {
  const { body } = await api.as(own.token).post('/api/v1/web-calls').send({ agent_id: own.agentId });
  return body.data as WebCall;
};

const open = ({ url, token }: Pick<WebCall, 'url' | 'token'>, { query = '', headers = {} } = {}): Page =>
  new Page(new WebSocket(`${url}${query}`, [PROTOCOL, `token.${token}`], { headers }));

/** What the dialer does when it takes a call. */
const claim = (callId: string) =>
  api.pool.query(
    `WITH c AS (UPDATE calls SET owner = 'one', due_at = NULL WHERE id = $1)
     UPDATE web_calls SET connected_at = now() WHERE call_id = $1`,
    [callId],
  );

const event = (callId: string, type: string, data: object) =>
  api.pool.query(
    `WITH c AS (UPDATE calls SET event_seq = event_seq + 1 WHERE id = $1 RETURNING id, event_seq)
     INSERT INTO call_events (call_id, seq, type, data) SELECT id, event_seq, $2, $3 FROM c`,
    [callId, type, JSON.stringify(data)],
  );

describe('the WebSocket of a web call', () => {
  it('passes frames and messages unchanged between the page and the dialer, whose request is signed', async () => {
    const call = await aCall();
    const page = open(call, { query: '?format=pcmu' });
    await page.has('ready');
    expect(page.socket.protocol).toBe(PROTOCOL);
    const [request] = dialer.requests;
    expect(request!.url).toBe(`/internal/web-calls/${call.call_id}?format=pcmu`);
    expect(request!.headers['x-trunkline-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(request!.headers)).not.toContain(call.token);
    const [socket] = dialer.sockets;
    const frame = Buffer.from(Array.from({ length: 160 }, (_, index) => index));
    const heard = once(socket!, 'message');
    page.socket.send(frame);
    expect(await heard).toEqual([frame, true]);
    const told = once(socket!, 'message');
    page.socket.send('{"type":"played","ms":100}');
    expect(await told).toEqual([Buffer.from('{"type":"played","ms":100}'), false]);
    socket!.send(frame);
    socket!.send('{"type":"clear"}');
    await page.has('clear');
    expect(page.frames).toEqual([frame]);
    socket!.close(4408);
    expect(await page.closed).toBe(4408);
  });

  it('tells the page words, statuses and the end of its call', async () => {
    const call = await aCall();
    const page = open(call);
    await page.has('ready');
    await claim(call.call_id);
    const watched = () => api.pool.query('SELECT 1 FROM call_words WHERE call_id = $1', [call.call_id]);
    await eventually(watched, ({ rows }) => rows.length === 1);
    const running = [{ turn: 1, role: 'agent', text: 'Hel', started_ms: 0 }];
    await api.pool.query('UPDATE call_words SET version = version + 1, turns = $2 WHERE call_id = $1', [
      call.call_id,
      JSON.stringify(running),
    ]);
    expect(await page.has('transcript')).toEqual({
      type: 'transcript',
      role: 'agent',
      text: 'Hel',
      final: false,
      turn: 1,
    });
    await event(call.call_id, 'status', { status: 'in_progress' });
    const turn = { at_ms: 900, turn: 1, role: 'agent', text: 'Hello.', started_ms: 0, ended_ms: 900, truncated: false };
    await event(call.call_id, 'turn', turn);
    await eventually(
      () => page.texts,
      (texts) => texts.some(({ final }) => final === true),
    );
    expect(page.texts).toContainEqual({ type: 'transcript', role: 'agent', text: 'Hello.', final: true, turn: 1 });
    expect(page.texts).toContainEqual({ type: 'status', status: 'in_progress' });
    // The dialer ends the audio; the status of the call follows.
    dialer.sockets[0]!.close(1000);
    await api.pool.query(
      `UPDATE calls SET status = 'completed', ended_at = now(), hangup_cause = 'agent_hangup' WHERE id = $1`,
      [call.call_id],
    );
    await event(call.call_id, 'status', { status: 'completed', hangup_cause: 'agent_hangup', ended_by: 'agent' });
    expect(await page.closed).toBe(1000);
    expect(page.texts.at(-1)).toEqual({
      ...{ type: 'ended', status: 'completed', cause: 'agent_hangup', message: 'The call has ended.' },
    });
  });

  it('opens once: a replayed token, an unknown one and that of another call are refused alike', async () => {
    const [call, other] = [await aCall(), await aCall()];
    await open(call).has('ready');
    await claim(call.call_id);
    const wrong = [
      call,
      { ...other, token: 'x'.repeat(32) },
      { ...other, token: call.token },
      { ...other, url: call.url },
    ];
    for (const one of wrong) {
      const page = open(one);
      expect(await page.closed).toBe(4401);
      expect(page.texts).toEqual([{ type: 'error', code: 'bad_token', message: expect.stringMatching(/not valid/) }]);
    }
    expect(dialer.requests).toHaveLength(1);
  });

  it('refuses the second of two connections with one token, of which the dialer takes the first', async () => {
    const call = await aCall();
    dialer.refusal = 409;
    expect(await open(call).closed).toBe(4401);
  });

  it('refuses an expired token', async () => {
    const call = await aCall();
    await api.pool.query(`UPDATE web_calls SET expires_at = now() - interval '1 s' WHERE call_id = $1`, [call.call_id]);
    expect(await open(call).closed).toBe(4401);
    expect(dialer.requests).toEqual([]);
  });

  it('opens from the page that created the call only', async () => {
    const key = await api
      .as(own.token)
      .post('/api/v1/web-keys')
      .send({ name: 'shop', agent_id: own.agentId, origins: ['https://shop.example.com'] });
    const sent = api.as(key.body.data.key).post('/api/v1/web-calls').set('Origin', 'https://shop.example.com').send({});
    const call = (await sent).body.data as WebCall;
    expect(await open(call, { headers: { Origin: 'https://evil.example.com' } }).closed).toBe(4403);
    await open(call, { headers: { Origin: 'https://shop.example.com' } }).has('ready');
  });

  it('says so when no dialer has room, and takes the next one', async () => {
    const call = await aCall();
    dialer.refusal = 503;
    const page = open(call);
    expect(await page.closed).toBe(4503);
    const second = await Dialer.start();
    await api.pool.query(
      `INSERT INTO dialers (id, lease_until, internal_address) VALUES ('two', now() + interval '1 hour', $1)`,
      [second.address],
    );
    await open(call).has('ready');
    expect(second.requests).toHaveLength(1);
    await api.pool.query(`DELETE FROM dialers WHERE id = 'two'`);
    second.close();
  });

  it('closes with a code that lets the page connect again when the dialer is lost', async () => {
    const page = open(await aCall());
    await page.has('ready');
    dialer.sockets[0]!.terminate();
    expect(await page.closed).toBe(1012);
  });

  it('disconnects a page that sends more than a call has, and a text that is too long', async () => {
    const flood = open(await aCall());
    await flood.has('ready');
    for (let sent = 0; sent < 2_000; sent++) flood.socket.send(Buffer.alloc(640));
    expect(await flood.closed).toBe(4429);
    const long = open(await aCall());
    await long.has('ready');
    long.socket.send('x'.repeat(5_000));
    expect(await long.closed).toBe(1009);
  });

  it('disconnects a page that does not read, and closes its connection to the dialer', async () => {
    const page = open(await aCall());
    await page.has('ready');
    page.socket.pause();
    const [socket] = dialer.sockets;
    const closed = once(socket!, 'close');
    const frame = Buffer.alloc(640);
    const speaking = setInterval(() => {
      for (let sent = 0; sent < 200; sent++) socket!.send(frame);
    }, 5);
    await expect(closed).resolves.toBeDefined();
    clearInterval(speaking);
    page.socket.terminate();
  });

  it('refuses an upgrade without the subprotocol, an unknown path and another format', async () => {
    const { url, token } = await aCall();
    const status = async (address: string, protocols: string[]) => {
      const socket = new WebSocket(address, protocols);
      socket.on('error', () => undefined);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      socket.terminate();
      return response.statusCode;
    };
    expect(await status(url, [`token.${token}`])).toBe(400);
    expect(await status(url.replace('audio', 'video'), [PROTOCOL])).toBe(404);
    expect(await open({ url, token }, { query: '?format=mp3' }).closed).toBe(4400);
  });

  it('answers an address that tries tokens with 429', async () => {
    const { url } = await aCall();
    const outcomes: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 40 && !outcomes.includes(429); attempt++) {
      const socket = new WebSocket(url, [PROTOCOL, `token.${'y'.repeat(32)}`]);
      socket.on('error', () => undefined);
      outcomes.push(
        await new Promise<number>((resolve) => {
          socket.once('unexpected-response', (_request, response) => {
            socket.terminate();
            resolve(response.statusCode ?? 0);
          });
          socket.once('close', (code) => resolve(code));
        }),
      );
    }
    expect(outcomes[0]).toBe(4401);
    expect(outcomes.at(-1)).toBe(429);
  });
});

it('a process that stops lets its pages connect to another one', async () => {
  const other = await TestApi.start();
  const account = await aWorkspace(other.pool);
  await other.pool.query(
    `INSERT INTO dialers (id, lease_until, internal_address) VALUES ('one', now() + interval '1 hour', $1)`,
    [dialer.address],
  );
  const { body } = await other.as(account.token).post('/api/v1/web-calls').send({ agent_id: account.agentId });
  const page = open(body.data as WebCall);
  await page.has('ready');
  const stopped = other.stop();
  expect(await page.closed).toBe(1012);
  await stopped;
});
