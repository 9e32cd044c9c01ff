import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { WatchedCall, type StreamedEvent } from '../../support/event-stream.js';
import { aCall, aToken, aWorkspace, type Workspace } from '../../support/factories.js';
import { Stack } from '../../support/stack.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

let stack: Stack;
let phone: SandboxPhone;
let database: Pool;
let caller: TestAccount;
let talkative: TestAccount;
let own: Workspace;

beforeAll(async () => {
  const log = { debug: () => {}, warn: () => {} };
  const rtpPorts = { min: 26_600, max: 26_699 };
  [phone, stack] = await Promise.all([
    startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log }),
    Stack.start({ workers: 0 }),
  ]);
  database = new Pool({ connectionString: stack.database.url, max: 2 });
  caller = await createAccount(stack, { name: 'watched' });
  talkative = await createAccount(stack, { name: 'talkative', agent: { greeting: LONG_GREETING } });
  own = await aWorkspace(database);
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await phone?.close();
});

/** Longer than the time in which a dialer notices that a call is watched. */
const LONG_GREETING =
  'Good morning, this is the tea house. We have green tea, black tea, white tea and many cakes today, so tell me what you would like.';

const urlOf = (callId: string, query = '') => `${stack.baseUrl}/api/v1/calls/${callId}/events${query}`;

const watch = (callId: string, { token, lastEventId }: { token: string; lastEventId?: number }) =>
  WatchedCall.open(urlOf(callId), token, lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) });

/** Writes an event of a call like the dialer. */
async function happens(callId: string, type: string, data: object = {}): Promise<void> {
  await database.query(
    `WITH counted AS (UPDATE calls SET event_seq = event_seq + 1 WHERE id = $1 RETURNING event_seq)
     INSERT INTO call_events (call_id, seq, type, data) SELECT $1, event_seq, $2, $3 FROM counted`,
    [callId, type, JSON.stringify(data)],
  );
}

async function ends(callId: string): Promise<void> {
  await database.query(
    `WITH ended AS (UPDATE calls SET event_seq = event_seq + 1, status = 'completed', ended_at = now() WHERE id = $1 RETURNING event_seq)
     INSERT INTO call_events (call_id, seq, type, data)
     SELECT $1, event_seq, 'status', '{"status": "completed", "hangup_cause": "agent_hangup", "ended_by": "agent"}' FROM ended`,
    [callId],
  );
}

const numbers = (events: readonly StreamedEvent[]): number[] => events.map(({ seq }) => seq);

describe('a live call', () => {
  it('is streamed from the first status to the last across broken connections, as documented', async () => {
    const api = apiOf(stack, caller);
    const to_number = `sip:press_9@127.0.0.1:${phone.port}`;
    const { call_id: callId } = await api.createCall({ to_number, record: false });
    const first = await watch(callId, caller);
    expect(first.response.headers.get('content-type')).toBe('text/event-stream');
    await first.until((events) => events.some(({ type }) => type === 'dtmf_input'));
    first.leave();
    const seen = first.events;
    const second = await watch(callId, { token: caller.token, lastEventId: seen.at(-1)!.seq });
    const rest = await second.untilClosed();

    const told = [...seen, ...rest];
    expect(told.map(({ type, data }) => (type === 'status' ? data.status : ''))).toEqual(
      expect.arrayContaining(['pending', 'ringing', 'in_progress', 'completed']),
    );
    expect(told.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['turn_started', 'turn', 'dtmf_received', 'dtmf_input', 'tool_call', 'ended']),
    );
    expect(told.at(-1)).toMatchObject({ type: 'status', data: { status: 'completed' } });
    const answer = told.find(({ type, data }) => type === 'turn' && data.latency !== undefined);
    const { data } = await bodyOf(api.GET('/api/v1/calls/{callId}/transcript', { params: { path: { callId } } }));
    expect(answer?.data).toMatchObject({ role: 'agent', latency: { heard_ms: expect.any(Number) } });
    expect(data.turns.map(({ latency }) => latency)).toContainEqual({
      ...(answer?.data.latency as object),
      parts: expect.objectContaining({ playout_ms: expect.any(Number) }),
    });
    const { rows } = await database.query<{ seq: number; type: string }>(
      'SELECT seq, type FROM call_events WHERE call_id = $1 ORDER BY seq',
      [callId],
    );
    expect(numbers(told)).toEqual(rows.filter(({ type }) => type !== 'usage').map(({ seq }) => seq));
    expect(rows.some(({ type }) => type === 'usage')).toBe(true);
    await expectDocumented(told);
  });
});

describe('the words of a running turn', () => {
  it('are streamed while they are spoken, grow to the text of the turn, and are not stored', async () => {
    const api = apiOf(stack, talkative);
    const { call_id: callId } = await api.createCall({
      to_number: `sip:silent@127.0.0.1:${phone.port}`,
      record: false,
    });
    const watched = await WatchedCall.open(urlOf(callId, '?words=true'), talkative.token);
    await eventually(
      () => watched.words,
      (words) => words.length >= 3,
    );
    const plain = await watch(callId, talkative);
    await watched.until((events) => events.some(({ type }) => type === 'turn'));
    await plain.until((events) => events.some(({ type }) => type === 'turn'));
    const turn = watched.events.find(({ type }) => type === 'turn')!;
    for (const [n, words] of watched.words.entries()) {
      expect(words).toMatchObject({ turn: 1, role: 'agent', started_ms: turn.data.started_ms });
      expect(turn.data.text).toEqual(expect.stringContaining(words.text));
      expect(words.text.length).toBeGreaterThan(watched.words[n - 1]?.text.length ?? 0);
      expect(words.after).toBeLessThan(turn.seq);
    }
    expect(plain.words).toEqual([]);
    await api.POST('/api/v1/calls/{callId}/commands', { params: { path: { callId } }, body: { type: 'hang_up' } });
    await watched.untilClosed();
    const stored = `SELECT (SELECT count(*)::int FROM call_events WHERE call_id = $1 AND type = 'turn_words') AS events,
      (SELECT count(*)::int FROM call_words WHERE call_id = $1) AS words`;
    await eventually(
      async () => (await database.query<{ events: number; words: number }>(stored, [callId])).rows[0],
      (row) => row?.events === 0 && row.words === 0,
    );
  });
});

/** Every event matches its schema in openapi.json, without further fields. */
async function expectDocumented(events: readonly StreamedEvent[]): Promise<void> {
  const document = JSON.parse(await readFile('openapi.json', 'utf8')) as {
    components: { schemas: Record<string, { properties?: { data: { properties: object } } }> };
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  for (const event of events) {
    const valid = ajv.validate({ $ref: 'openapi#/components/schemas/CallEvent' }, event);
    expect([event.type, valid, ajv.errorsText()]).toEqual([event.type, true, 'No errors']);
    const schema = Object.entries(document.components.schemas).find(([name]) => name === schemaNameOf(event.type))?.[1];
    expect(Object.keys(schema?.properties?.data.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys(event.data)),
    );
  }
}

const schemaNameOf = (type: string): string =>
  `CallEvent${type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

describe('the events of a call', () => {
  /** A call with an answered status, a turn, an internal event and a turn with an undocumented field. */
  async function talkedCall(): Promise<string> {
    const callId = await aCall(database, own, { status: 'in_progress', answered_at: new Date() });
    await happens(callId, 'status', { status: 'in_progress' });
    await happens(callId, 'turn', { at_ms: 900, turn: 1, role: 'agent', text: 'Hello.', secret: 'of ours' });
    await happens(callId, 'usage', { at_ms: 900, kind: 'agent_seconds' });
    await happens(callId, 'error', { at_ms: 950, code: 'busy', message: 'connect ECONNREFUSED 10.0.0.1:443' });
    return callId;
  }

  it('are pages with Accept: application/json', async () => {
    const callId = await talkedCall();
    const api = apiOf(stack, own);
    const page = (query: { after?: number; per_page?: number }) =>
      bodyOf(api.GET('/api/v1/calls/{callId}/events', { params: { path: { callId }, query } }));
    expect(await page({ per_page: 3 })).toMatchObject({
      data: [{ seq: 1 }, { seq: 2 }],
      meta: { per_page: 3, next_after: 3, complete: false },
    });
    expect(await page({ after: 3 })).toMatchObject({ data: [{ seq: 4 }], meta: { next_after: 4 } });
    expect(await page({ after: 4 })).toEqual({
      data: [],
      meta: { per_page: 100, next_after: 4, complete: false },
    });
    await ends(callId);
    expect(await page({ after: 4 })).toMatchObject({ data: [{ seq: 5 }], meta: { complete: true } });
  });

  it('can be watched by a hundred clients; the next one gets 429', async () => {
    const callId = await talkedCall();
    const watchers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => watch(callId, { token: own.token, lastEventId: n % 3 })),
    );
    const refused = await watch(callId, own);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '1']);
    await happens(callId, 'hold', { at_ms: 1_000 });
    await ends(callId);
    const all = await Promise.all(watchers.map((one) => one.untilClosed()));
    const expected = [1, 2, 4, 5, 6];
    all.forEach((events, n) => expect(numbers(events)).toEqual(expected.filter((seq) => seq > n % 3)));
    const again = await eventually(
      () => watch(callId, own),
      ({ response }) => response.status === 200,
    );
    expect(numbers(await again.untilClosed())).toEqual(expected);
  });

  it('end when the call is deleted, and when the token is revoked', async () => {
    const [deleted, revoked] = [await talkedCall(), await talkedCall()];
    const token = await aToken(database, own.accountId, ['calls:read']);
    const [one, two] = [await watch(deleted, own), await watch(revoked, { token })];
    await Promise.all([one, two].map((watched) => watched.until((events) => events.length === 3)));
    await database.query('DELETE FROM calls WHERE id = $1', [deleted]);
    const { rows } = await database.query<{ id: number }>('SELECT max(id) AS id FROM api_tokens');
    await database.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [rows[0]!.id]);
    expect(numbers(await one.untilClosed())).toEqual([1, 2, 4]);
    expect(numbers(await two.untilClosed())).toEqual([1, 2, 4]);
  });

  it('close cleanly when the process stops', async () => {
    const watched = await watch(await talkedCall(), own);
    await watched.until((events) => events.length === 3);
    const api = stack.processes.find(({ role }) => role === 'api')!;
    const exit = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    expect(numbers(await watched.untilClosed())).toEqual([1, 2, 4]);
    expect(await exit).toEqual([0, null]);
  });
});
