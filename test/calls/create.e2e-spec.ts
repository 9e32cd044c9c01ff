import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { TestApi } from '../support/app.js';
import { aNumber, anAgent, aTrunk, aWorkspace, type Workspace } from '../support/factories.js';

const FORMAT = /^Each phone number must be in E\.164 or SIP URI format/;
const SIP = 'sip:answer@127.0.0.1:5070';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let api: TestApi;
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  api = await TestApi.start({ MAX_DESTINATIONS: '3' });
  own = await aWorkspace(api.pool);
  foreign = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const aBody = (fields: Record<string, unknown> = {}) => ({
  to_number: SIP,
  agent_id: own.agentId,
  number_id: own.numberId,
  ...fields,
});

const post = (body: object, token = own.token) => api.as(token).post('/api/v1/calls').send(body);

async function stored(callId: string): Promise<Record<string, unknown>> {
  const found = await api.pool.query<Record<string, unknown>>('SELECT * FROM calls WHERE id = $1', [callId]);
  return found.rows[0] ?? {};
}

const countCalls = async (): Promise<number> =>
  (await api.pool.query<{ n: number }>('SELECT count(*)::integer AS n FROM calls')).rows[0]?.n ?? 0;

describe('creating calls', () => {
  it('a string creates one call and returns an object', async () => {
    const { status, body } = await post(aBody());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      message: 'Call initiated successfully.',
      data: {
        call_id: expect.stringMatching(UUID),
        status: 'pending',
        to_number: SIP,
        from_number: expect.stringMatching(/^\+1555/),
        agent: expect.stringMatching(/^agent-/),
      },
    });
    expect(await stored(body.data.call_id)).toMatchObject({
      account_id: own.accountId,
      record: true,
      direction: 'outbound',
      metadata: null,
      settings: {},
    });
  });

  it.each([1, 2, 3])('an array of %d destinations creates as many calls and returns an array', async (count) => {
    const { status, body } = await post(aBody({ to_number: Array.from({ length: count }, () => SIP) }));
    expect(status).toBe(201);
    expect(body.message).toContain(String(count));
    expect(new Set(body.data.map((call: { call_id: string }) => call.call_id)).size).toBe(count);
  });

  it('the same destination twice creates two calls, or none when the request rejects duplicates', async () => {
    const to_number = ['+1 (555) 000-1111', SIP, '+15550001111'];
    const body = aBody({ to_number, trunk_id: own.trunkId });
    const before = await countCalls();
    const refused = await post({ ...body, reject_duplicates: true });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { 'to_number.2': ['The destination is the same as that of to_number.0.'] },
    ]);
    expect(await countCalls()).toBe(before);
    for (const reject_duplicates of [false, null, undefined]) {
      const { status, body: made } = await post({ ...body, reject_duplicates });
      expect([status, made.data?.length]).toEqual([201, 3]);
    }
    const { status } = await post({ ...body, to_number: to_number.slice(0, 2), reject_duplicates: true });
    expect(status).toBe(201);
  });

  it('removes the punctuation of numbers', async () => {
    const { body } = await post(aBody({ to_number: ['+1 (555) 000-1111', SIP], trunk_id: own.trunkId }));
    expect(body.data.map((call: { to_number: string }) => call.to_number)).toEqual(['+15550001111', SIP]);
  });

  it.each([null, '', ' '])('treats %j as absent, stores metadata and ignores unknown fields', async (none) => {
    const nothing = {
      trunk_id: none,
      record: none,
      post_call_webhook_url: none,
      post_call_webhook_method: none,
      post_call_webhook_headers: null,
      call_status_webhook_url: none,
      call_status_webhook_method: none,
      call_status_webhook_headers: null,
      enable_call_transfer: none,
      transfer_phone_number: none,
      transfer_caller_id_number_id: none,
    };
    const metadata = { order: 7, nested: { list: [1, 'é', null], toString: 'kept', constructor: 'kept' } };
    const { status, body } = await post(
      aBody({ ...nothing, metadata, status: 'completed', account_id: foreign.accountId }),
    );
    expect(status).toBe(201);
    const row = { status: 'pending', account_id: own.accountId, metadata, settings: {}, record: true };
    expect(await stored(body.data.call_id)).toMatchObject(row);
  });

  it('stores the first event, and the first webhook when a target is set', async () => {
    const { body } = await post(aBody({ call_status_webhook_url: ' http://127.0.0.1:9/status\n', metadata: { a: 1 } }));
    const events = await api.pool.query('SELECT seq, type, data FROM call_events WHERE call_id = $1', [
      body.data.call_id,
    ]);
    expect(events.rows).toEqual([{ seq: 1, type: 'status', data: { status: 'pending' } }]);
    const sent = await api.pool.query<{ body: string; event: string; sequence: number }>(
      'SELECT event, sequence, method, url, body FROM webhook_deliveries WHERE call_id = $1',
      [body.data.call_id],
    );
    expect(sent.rows).toMatchObject([
      { event: 'initiated', sequence: 1, method: 'POST', url: 'http://127.0.0.1:9/status' },
    ]);
    expect(JSON.parse(sent.rows[0]?.body ?? '')).toMatchObject({
      type: 'call-status',
      data: { ...body.data, metadata: { a: 1 }, started_at: null },
    });
  });

  it('overrides the settings of the agent field by field', async () => {
    const agentId = await anAgent(api.pool, own.accountId, {
      call_status_webhook: { url: 'http://127.0.0.1:9/agent', method: 'PUT' },
      transfer_enabled: true,
      transfer_phone_number: '+15550002222',
    });
    const overrides = {
      call_status_webhook_url: 'http://127.0.0.1:9/call',
      transfer_phone_number: '+1 555 000 3333',
      transfer_caller_id_number_id: own.numberId,
    };
    const { body } = await post(aBody({ agent_id: agentId, ...overrides }));
    const { settings } = (await stored(body.data.call_id)) as { settings: Record<string, Record<string, string>> };
    expect(settings).toMatchObject({
      call_status_webhook: { url: 'http://127.0.0.1:9/call', method: 'PUT' },
      transfer: { phone_number: '+15550003333', caller_id_number_id: own.numberId },
    });
  });
});

describe('an invalid request', () => {
  const cases: [string, Record<string, unknown>, string, string | RegExp][] = [
    ['no destination', { to_number: undefined }, 'to_number', 'The to number field is required.'],
    ['null', { to_number: null }, 'to_number', 'The to number field is required.'],
    ['an empty text', { to_number: '' }, 'to_number', 'The to number field is required.'],
    ['an empty list', { to_number: [] }, 'to_number', 'The to number field is required.'],
    ['a number', { to_number: 15550001111 }, 'to_number', /string or an array/],
    ['an object', { to_number: { 0: SIP } }, 'to_number', /string or an array/],
    ['too many', { to_number: [SIP, SIP, SIP, SIP] }, 'to_number', /not have more than 3 items/],
    ['a wrong string', { to_number: 'alice' }, 'to_number.0', FORMAT],
    ['a wrong element', { to_number: [SIP, '555'] }, 'to_number.1', FORMAT],
    ['an element that is not a text', { to_number: [SIP, 5] }, 'to_number.1', FORMAT],
    ['a sips URI', { to_number: 'sips:a@example.com' }, 'to_number.0', /format.*sips/],
    ['an internal host', { to_number: [SIP, 'sip:a@10.0.0.1'] }, 'to_number.1', /not a public address/],
    ['a premium number', { to_number: '+19005550000', trunk_id: 1 }, 'to_number.0', /premium/],
    [
      'a number without a trunk',
      { to_number: [SIP, '+15550001111'] },
      'trunk_id',
      'A trunk is required when calling E.164 phone numbers.',
    ],
    ['a trunk as text', { trunk_id: '1' }, 'trunk_id', 'The trunk id field must be an integer.'],
    ['no agent', { agent_id: undefined }, 'agent_id', 'The agent id field is required.'],
    ['an agent as text', { agent_id: '5' }, 'agent_id', 'The agent id field must be an integer.'],
    ['a fraction of an agent', { agent_id: 1.5 }, 'agent_id', 'The agent id field must be an integer.'],
    ['an unknown agent', { agent_id: 999_999 }, 'agent_id', 'No agent 999999 in this account.'],
    ['an impossible agent', { agent_id: 2 ** 40 }, 'agent_id', 'No agent 1099511627776 in this account.'],
    ['agent 0', { agent_id: 0 }, 'agent_id', 'No agent 0 in this account.'],
    ['no phone number', { number_id: undefined }, 'number_id', 'The number id field is required.'],
    ['true as a phone number', { number_id: true }, 'number_id', 'The number id field must be an integer.'],
    ['record as text', { record: 'true' }, 'record', 'The record field must be true or false.'],
    ['record as a number', { record: 1 }, 'record', 'The record field must be true or false.'],
    ['metadata as a list', { metadata: [] }, 'metadata', 'The metadata field must be an object.'],
    ['metadata as text', { metadata: 'x' }, 'metadata', 'The metadata field must be an object.'],
    ['metadata over 16 KB', { metadata: { x: 'y'.repeat(16_384) } }, 'metadata', /16384 bytes/],
    ['a URL as a number', { post_call_webhook_url: 5 }, 'post_call_webhook_url', /must be a string/],
    [
      'a long URL',
      { post_call_webhook_url: `https://x.com/${'y'.repeat(2048)}` },
      'post_call_webhook_url',
      /greater than 2048/,
    ],
    ['an invalid URL', { call_status_webhook_url: 'example.com' }, 'call_status_webhook_url', /absolute http/],
    ['an internal URL', { call_status_webhook_url: 'http://10.0.0.1/' }, 'call_status_webhook_url', /internal/],
    [
      'GET for a status',
      { call_status_webhook_method: 'GET' },
      'call_status_webhook_method',
      /selected call status webhook method/,
    ],
    [
      'DELETE after the call',
      { post_call_webhook_method: 'DELETE' },
      'post_call_webhook_method',
      /selected post call webhook method/,
    ],
    ['headers as an object', { post_call_webhook_headers: {} }, 'post_call_webhook_headers', /must be an array/],
    ['an invalid header', { post_call_webhook_headers: ['x'] }, 'post_call_webhook_headers.0', /must be an object/],
    ['a list as a header', { post_call_webhook_headers: [[]] }, 'post_call_webhook_headers.0', /must be an object/],
    [
      'a header without key',
      { post_call_webhook_headers: [{ value: 'x' }] },
      'post_call_webhook_headers.0.key',
      /required/,
    ],
    [
      'a header without value',
      { call_status_webhook_headers: [{ key: 'X-A' }] },
      'call_status_webhook_headers.0.value',
      /required/,
    ],
    [
      'a number as a value',
      { call_status_webhook_headers: [{ key: 'X-A', value: 1 }] },
      'call_status_webhook_headers.0.value',
      /string/,
    ],
    [
      'a reserved header',
      {
        call_status_webhook_headers: [
          { key: 'X-A', value: 'x' },
          { key: 'Host', value: 'x' },
        ],
      },
      'call_status_webhook_headers.1.key',
      'The header Host is set by the service.',
    ],
    [
      'a line break in a header',
      { post_call_webhook_headers: [{ key: 'X-A', value: 'a\nb' }] },
      'post_call_webhook_headers.0.value',
      'The value of the header X-A must not contain control characters.',
    ],
    [
      'too many headers',
      { post_call_webhook_headers: Array.from({ length: 21 }, (_, n) => ({ key: `X-${n}`, value: '' })) },
      'post_call_webhook_headers',
      'There may be at most 20 headers.',
    ],
    ['a text as reject_duplicates', { reject_duplicates: 'no' }, 'reject_duplicates', /must be true or false/],
    ['a blank trunk of a number', { to_number: '+15550001111', trunk_id: '' }, 'trunk_id', /^A trunk is required/],
    ['a list as agent', { agent_id: [] }, 'agent_id', 'The agent id field must be an integer.'],
    ['a list as record', { record: [] }, 'record', 'The record field must be true or false.'],
    ['anonymous as text', { anonymous: 'true' }, 'anonymous', 'The anonymous field must be true or false.'],
    ['transfer as a number', { enable_call_transfer: 1 }, 'enable_call_transfer', /true or false/],
    ['transfer without a number', { enable_call_transfer: true }, 'transfer_phone_number', /required/],
    ['transfer to a URI', { transfer_phone_number: SIP }, 'transfer_phone_number', /E\.164/],
    [
      'transfer to a premium number',
      { enable_call_transfer: true, transfer_phone_number: '+19005550000' },
      'transfer_phone_number',
      /premium/,
    ],
    [
      'an unknown caller id',
      { transfer_caller_id_number_id: 999_999 },
      'transfer_caller_id_number_id',
      'No number 999999 in this account.',
    ],
  ];

  it.each(cases)('%s', async (_name, fields, field, sentence) => {
    const before = await countCalls();
    const trunk = fields.trunk_id === 1 ? { trunk_id: own.trunkId } : {};
    const { status, body } = await post(aBody({ ...fields, ...trunk }));
    expect(status).toBe(422);
    expect(Object.keys(body).toSorted()).toEqual(['codes', 'errors', 'message', 'request_id']);
    expect(Object.keys(body.errors)).toEqual([field]);
    expect(body.errors[field]).toHaveLength(1);
    expect(body.errors[field][0]).toMatch(sentence);
    expect(body.message).toBe(body.errors[field][0]);
    expect(await countCalls()).toBe(before);
  });

  it.each(['agent_id', 'number_id', 'trunk_id', 'transfer_caller_id_number_id'])(
    "another account's and an inactive %s",
    async (field) => {
      const theirs = { agent_id: foreign.agentId, number_id: foreign.numberId, trunk_id: foreign.trunkId };
      const inactive = {
        agent_id: await anAgent(api.pool, own.accountId, { active: false }),
        number_id: await aNumber(api.pool, own.accountId, { active: false }),
        trunk_id: await aTrunk(api.pool, own.accountId, { active: false }),
      };
      const same = field === 'transfer_caller_id_number_id' ? 'number_id' : (field as keyof typeof theirs);
      const kind = same.replace('_id', '');
      const first = await post(aBody({ [field]: theirs[same] }));
      expect(first.body.errors).toEqual({ [field]: [`No ${kind} ${theirs[same]} in this account.`] });
      const second = await post(aBody({ [field]: inactive[same] }));
      expect(second.body.errors).toEqual({ [field]: [`The ${kind} ${inactive[same]} is not active.`] });
      expect([first.status, second.status]).toEqual([422, 422]);
    },
  );

  it('is rejected with every invalid element and the number of errors', async () => {
    const { body } = await post(aBody({ to_number: ['x', SIP, 'y'], agent_id: undefined }));
    expect(Object.keys(body.errors).toSorted()).toEqual(['agent_id', 'to_number.0', 'to_number.2']);
    expect(body.message).toMatch(/^Each phone number .*\(and 2 more errors\)$/);
  });

  it('is rejected when the daily budget is spent', async () => {
    const poor = await aWorkspace(api.pool, { daily_spend_micros: 1_500_000 });
    const body = { to_number: SIP, agent_id: poor.agentId, number_id: poor.numberId };
    expect((await post(body, poor.token)).status).toBe(201);
    await api.pool.query(
      `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1500000)`,
      [poor.accountId],
    );
    const refused = await post(body, poor.token);
    expect(refused.status).toBe(422);
    expect(refused.body.errors.to_number[0]).toMatch(
      /limit of 1\.50 USD is reached\. It resets at \d{4}-.*T00:00:00\.000\+00:00/,
    );
  });
});

describe('an Idempotency-Key', () => {
  const withKey = (key: string, body: object, token = own.token) => post(body, token).set('Idempotency-Key', key);

  it('returns the first response again', async () => {
    const key = newId();
    const first = await withKey(key, aBody({ metadata: { a: 1, b: 2 } }));
    const before = await countCalls();
    const second = await withKey(key, aBody({ metadata: { b: 2, a: 1 } }));
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(await countCalls()).toBe(before);
  });

  it('returns the first response even after the agent was deleted', async () => {
    const key = newId();
    const agentId = await anAgent(api.pool, own.accountId);
    const first = await withKey(key, aBody({ agent_id: agentId }));
    await api.pool.query('UPDATE agents SET active = false WHERE id = $1', [agentId]);
    expect((await withKey(key, aBody({ agent_id: agentId }))).text).toBe(first.text);
  });

  it('with another body is 409', async () => {
    const key = newId();
    await withKey(key, aBody());
    const second = await withKey(key, aBody({ record: false }));
    expect([second.status, Object.keys(second.body)]).toEqual([409, ['message']]);
  });

  it('belongs to its account', async () => {
    const key = newId();
    await withKey(key, aBody());
    const theirs = { to_number: SIP, agent_id: foreign.agentId, number_id: foreign.numberId };
    const { status, headers } = await withKey(key, theirs, foreign.token);
    expect([status, headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('is not consumed by a rejected request', async () => {
    const key = newId();
    expect((await withKey(key, aBody({ agent_id: 999_999 }))).status).toBe(422);
    expect((await withKey(key, aBody())).status).toBe(201);
  });

  it('expires after a day', async () => {
    const key = newId();
    const first = await withKey(key, aBody());
    await api.pool.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = $1`, [key]);
    const second = await withKey(key, aBody({ record: false }));
    expect(second.status).toBe(201);
    expect(second.body.data.call_id).not.toBe(first.body.data.call_id);
  });

  it('creates calls for one of twenty concurrent requests and returns its response to all', async () => {
    const key = newId();
    const before = await countCalls();
    const answers = await Promise.all(Array.from({ length: 20 }, () => withKey(key, aBody({ to_number: [SIP, SIP] }))));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.headers['idempotent-replayed'])).toHaveLength(1);
    expect(await countCalls()).toBe(before + 2);
  });

  it.each(['', 'a'.repeat(256), 'with space'])('%j is rejected as a key', async (key) => {
    const { status, body } = await withKey(key, aBody());
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['Idempotency-Key']]);
  });
});
