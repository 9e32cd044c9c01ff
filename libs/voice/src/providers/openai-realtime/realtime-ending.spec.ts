import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { created, delta, done, RealtimeBench } from '../../../test/realtime-call.js';

let bench: RealtimeBench;

beforeEach(async () => {
  bench = await RealtimeBench.start();
});
afterEach(() => bench.server.stop());

describe('the usage of a realtime session', () => {
  const usage = {
    input_tokens: 160,
    output_tokens: 90,
    input_token_details: {
      text_tokens: 100,
      audio_tokens: 60,
      cached_tokens: 74,
      cached_tokens_details: { text_tokens: 64, audio_tokens: 10 },
    },
    output_token_details: { text_tokens: 20, audio_tokens: 70 },
  };

  it('usage has tokens, cached ones separately, for cancelled responses too', async () => {
    const { connection, got } = await bench.connected();
    bench.server.last.send(created('r1'));
    await got(1);
    connection.cancelResponse();
    bench.server.last.send(done('r1', { status: 'cancelled', usage }));
    const [, bill] = await got(3);
    const item = { unit: 'thousand_tokens', source: 'openai-realtime:a-model' };
    expect(bill).toEqual({
      type: 'usage',
      items: [
        { kind: 'input_text_tokens', quantity: 0.036, ...item },
        { kind: 'input_audio_tokens', quantity: 0.05, ...item },
        { kind: 'cached_text_tokens', quantity: 0.064, ...item },
        { kind: 'cached_audio_tokens', quantity: 0.01, ...item },
        { kind: 'output_text_tokens', quantity: 0.02, ...item },
        { kind: 'output_audio_tokens', quantity: 0.07, ...item },
      ],
    });
  });

  it('a server that charges by time is billed by the connected seconds', async () => {
    const { connection, events, settled } = await bench.connected({ name: 'sandbox', billing: 'seconds' });
    bench.clock.advance(1500);
    bench.server.last.send(created('r1'), done('r1', { usage }));
    await settled();
    bench.clock.advance(700);
    connection.close();
    const items = events.flatMap((event) => (event.type === 'usage' ? event.items : []));
    expect(items).toMatchObject([
      { kind: 'agent_seconds', quantity: 1.5, source: 'sandbox' },
      { kind: 'agent_seconds', quantity: 0.7, source: 'sandbox' },
    ]);
    expect(events.at(-1)?.type).toBe('closed');
  });
});

describe('the end of a realtime connection', () => {
  it('close() emits closed at once and nothing after it', async () => {
    const { connection, events } = await bench.connected();
    connection.close();
    connection.close();
    connection.createResponse({});
    expect(events).toEqual([{ type: 'closed', reason: 'closed by the client' }]);
    await once(bench.server.last.socket, 'close');
    expect(bench.server.last.received).toHaveLength(1);
  });

  it.each([
    [
      'is cut off by the network',
      () => bench.server.last.socket.terminate(),
      'The connection was closed (1006).',
      undefined,
    ],
    [
      'sends invalid JSON',
      () => bench.server.last.socket.send('{"no":'),
      'The server sent an invalid event.',
      undefined,
    ],
    [
      'sends an incomplete event',
      () => bench.server.last.send({ type: 'response.created' }),
      'The server sent an invalid event.',
      undefined,
    ],
    [
      'reports an expired session',
      () => bench.server.last.send({ type: 'error', error: { code: 'session_expired', message: 'Over 60 minutes.' } }),
      'Over 60 minutes.',
      undefined,
    ],
    [
      'reports an exhausted quota',
      () =>
        bench.server.last.send(
          created('r1'),
          done('r1', { status: 'failed', status_details: { error: { code: 'insufficient_quota', message: 'Pay.' } } }),
        ),
      'Pay.',
      true,
    ],
  ])('a server that %s ends the connection', async (_, act, reason, final) => {
    const { events, got } = await bench.connected();
    act();
    for (let count = 1; events.at(-1)?.type !== 'closed'; count++) await got(count);
    expect(events.at(-1)).toEqual({ type: 'closed', reason, ...(final ? { final } : {}) });
  });

  it('a silent server is detected by its missing pong', async () => {
    const { got } = await bench.connected();
    bench.server.last.socket.pause();
    bench.clock.advance(5000);
    bench.clock.advance(5000);
    expect(await got(1)).toEqual([{ type: 'closed', reason: 'The server stopped responding.' }]);
  });

  it('a server that answers pings stays connected', async () => {
    const { events } = await bench.connected();
    for (let i = 0; i < 3; i++) {
      const pinged = once(bench.server.last.socket, 'ping');
      bench.clock.advance(5000);
      await pinged;
      // The pong arrives before the event that the server sends after it.
      bench.server.last.send({ type: 'rate_limits.updated' });
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    expect(events).toEqual([]);
  });

  it('a stalled response ends the connection', async () => {
    const { got, settled } = await bench.connected();
    bench.server.last.send(created('r1'), delta('r1', 160));
    await settled();
    const pongs = setInterval(() => bench.server.last.send({ type: 'rate_limits.updated' }), 1);
    for (let i = 0; i < 5; i++) {
      bench.clock.advance(4000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clearInterval(pongs);
    expect((await got(3)).at(-1)).toEqual({ type: 'closed', reason: 'The response of the server stalled.' });
  });

  it('the expiry of a session is announced in advance', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 200;
    bench.server.onSession = () => ({ type: 'session.updated', session: { expires_at: expiresAt } });
    const { events, settled } = await bench.connected();
    const passing = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 2.5) {
        bench.clock.advance(2500);
        await settled();
      }
    };
    await passing(95);
    expect(events).toEqual([]);
    await passing(10);
    expect(events).toEqual([{ type: 'expiring', inMs: expect.any(Number) }]);
  });
});

it('a response that is too long is cancelled', async () => {
  const { events, settled } = await bench.connected();
  bench.server.last.send(created('r1'), ...Array.from({ length: 61 }, () => delta('r1', 40_000)));
  await settled();
  expect(events.filter(({ type }) => type === 'audio')).toHaveLength(60);
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'response_too_long' });
  expect(await bench.server.last.gotAt(2)).toMatchObject({ type: 'response.cancel', response_id: 'r1' });
});
