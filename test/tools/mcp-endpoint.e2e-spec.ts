import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { createHash } from 'node:crypto';
import { Agent, request as rawRequest } from 'undici';
import { TestApi } from '../support/app.js';
import { aCall, aToken, aWorkspace, type Workspace } from '../support/factories.js';

const MARKER = 'saffron-7731';

let api: TestApi;
let own: Workspace;
let other: Workspace;
const clients: Client[] = [];

beforeAll(async () => {
  api = await TestApi.start({ CORS_ORIGINS: 'https://app.example.com', PUBLIC_URL });
  [own, other] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
  await api.pool.query('UPDATE agents SET name = $2 WHERE id = $1', [other.agentId, MARKER]);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await api?.stop();
});

const url = (): URL => new URL('/mcp', api.baseUrl);

/** The SDK's client with a token; it validates structured results against the output schemas that the server lists. */
async function connect(token: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'assistant', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(url(), {
      requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
    }),
  );
  clients.push(client);
  await client.listTools();
  return client;
}

const withScopes = async (...scopes: string[]): Promise<Client> =>
  connect(await aToken(api.pool, own.accountId, scopes));

const call = async (client: Client, name: string, args: object = {}): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult;
/** The fields of the structured results of all tools. */
const PUBLIC_URL = 'https://calls.example.com';

interface Result {
  call_id: string;
  link: string;
  call: { call_id: string; status: string; failure: { code: string; message: string } | null };
  analysis: { version: number; status: string; summary: string | null } | null;
  calls: { call_id: string; failure: object | null }[];
  replayed: boolean;
  next_cursor: string | null;
  turns: { text: string }[];
  complete: boolean;
  next_turn: number | null;
  agents: object[];
  numbers: object[];
  trunks: object[];
  passages: object[];
}

const resultOf = async (client: Client, name: string, args: object = {}): Promise<Result> => {
  const { structuredContent, isError, content } = await call(client, name, args);
  if (isError) throw new Error(JSON.stringify(content));
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual(structuredContent);
  return structuredContent as unknown as Result;
};
const textOf = ({ content }: CallToolResult): string => (content[0] as { text: string }).text;

const aDestination = () => ({
  to_number: 'sip:answer@127.0.0.1:5070',
  agent_id: own.agentId,
  number_id: own.numberId,
});

describe('the MCP server at /mcp', () => {
  it('lists the tools that the scopes of the token allow, with schemas, and refuses the others', async () => {
    const all = await connect(own.token);
    expect(all.getServerVersion()).toMatchObject({ name: 'trunkline' });
    expect(all.getInstructions()).toContain('place_call');
    const { tools } = await all.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'place_call',
      'create_call_link',
      'get_call',
      'list_calls',
      'get_transcript',
      'cancel_call',
      'list_agents',
      'list_numbers',
      'list_trunks',
      'search_knowledge',
    ]);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools)
      expect([name, description, inputSchema.type, outputSchema?.type, annotations?.readOnlyHint]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        'object',
        'object',
        !['place_call', 'create_call_link', 'cancel_call'].includes(name),
      ]);
    const reader = await withScopes('calls:read', 'knowledge:read');
    expect((await reader.listTools()).tools.map(({ name }) => name)).toEqual([
      'get_call',
      'list_calls',
      'get_transcript',
      'search_knowledge',
    ]);
    await expect(call(reader, 'place_call', aDestination())).rejects.toThrow('lacks the scope calls:write');
    await expect(call(reader, 'no_such_tool')).rejects.toThrow('There is no tool named no_such_tool');
    const { rows } = await api.pool.query('SELECT 1 FROM calls WHERE account_id = $1', [own.accountId]);
    expect(rows).toEqual([]);
  });

  it('returns a link to a call in the browser, whose token is not part of what a browser sends', async () => {
    const client = await connect(own.token);
    const { call_id: callId, link } = await resultOf(client, 'create_call_link', { agent_id: own.agentId });
    const { origin, pathname, search, hash } = new URL(link);
    expect([origin, pathname, search]).toEqual([PUBLIC_URL, '/talk', '']);
    const given = new URLSearchParams(hash.slice(1));
    expect(given.get('url')).toBe(`${PUBLIC_URL.replace('http', 'ws')}/api/v1/web-calls/${callId}/audio`);
    expect(given.get('token')).toMatch(/^[\w-]{32}$/);
  });

  it('places, reads, lists and cancels a call; a retry with the same key does not call twice', async () => {
    const client = await connect(own.token);
    const values = { metadata: { customer: 'c-1' }, variables: { order: 4711 } };
    const overrides = { greeting: 'Hello {{metadata.customer}}.', instructions: { append: 'Be brief.' } };
    const args = { ...aDestination(), ...values, agent_overrides: overrides, idempotency_key: 'visit-1' };
    const { call: placed, replayed } = await resultOf(client, 'place_call', args);
    expect([placed.status, replayed]).toEqual(['pending', false]);
    const again = await resultOf(client, 'place_call', args);
    expect([again.call.call_id, again.replayed]).toEqual([placed.call_id, true]);
    const otherBody = await call(client, 'place_call', { ...args, record: false });
    expect([otherBody.isError, textOf(otherBody)]).toEqual([true, expect.stringContaining('Idempotency-Key')]);

    const { call: read, analysis } = await resultOf(client, 'get_call', { call_id: placed.call_id });
    expect(analysis).toBeNull();
    await api.pool.query(
      `INSERT INTO call_analyses (id, account_id, call_id, version, settings, status, result)
        SELECT gen_random_uuid(), $1, $2, version, '{}', 'completed', jsonb_build_object('summary', 'Version ' || version)
          FROM generate_series(1, 2) AS version`,
      [own.accountId, placed.call_id],
    );
    const { analysis: newest } = await resultOf(client, 'get_call', { call_id: placed.call_id });
    expect(newest).toMatchObject({ version: 2, status: 'completed', summary: 'Version 2' });
    const route = await api.as(own.token).get(`/api/v1/calls/${placed.call_id}`);
    expect(read).toEqual(route.body.data);
    expect(read).toMatchObject(values);
    const { rows } = await api.pool.query("SELECT settings -> 'agent' AS agent FROM calls WHERE id = $1", [
      placed.call_id,
    ]);
    expect(rows[0]).toMatchObject({ agent: { greeting: overrides.greeting } });
    const { calls, next_cursor } = await resultOf(client, 'list_calls', { status: 'pending', agent_id: own.agentId });
    expect([calls.map(({ call_id }) => call_id), next_cursor]).toEqual([[placed.call_id], null]);
    const { turns, complete, next_turn } = await resultOf(client, 'get_transcript', { call_id: placed.call_id });
    expect([turns, complete, next_turn]).toEqual([[], false, null]);
    const { call: cancelled } = await resultOf(client, 'cancel_call', { call_id: placed.call_id });
    expect(cancelled.status).toBe('cancelled');
    const twice = await call(client, 'cancel_call', { call_id: placed.call_id });
    expect([twice.isError, textOf(twice)]).toEqual([true, expect.stringContaining('ended')]);
  });

  it('says why a call failed', async () => {
    const account = await aWorkspace(api.pool);
    const end = { status: 'failed', hangup_cause: 'unallocated_number', sip_code: 404, ended_at: new Date() };
    const callId = await aCall(api.pool, account, end);
    const client = await connect(account.token);
    const { call: read } = await resultOf(client, 'get_call', { call_id: callId });
    expect(read.failure).toEqual({ code: 'unallocated_number', message: expect.stringContaining('(SIP 404)') });
    expect((await resultOf(client, 'list_calls')).calls).toMatchObject([{ call_id: callId, failure: read.failure }]);
  });

  it('lists calls by cursor, agents, numbers and trunks, and searches knowledge', async () => {
    const account = await aWorkspace(api.pool);
    for (let made = 0; made < 3; made += 1) await aCall(api.pool, account);
    const client = await connect(account.token);
    const first = await resultOf(client, 'list_calls', { per_page: 2 });
    const second = await resultOf(client, 'list_calls', { per_page: 2, cursor: first.next_cursor });
    expect([first.calls.length, second.calls.length, second.next_cursor]).toEqual([2, 1, null]);
    expect((await resultOf(client, 'list_agents')).agents).toMatchObject([{ id: account.agentId }]);
    expect((await resultOf(client, 'list_numbers')).numbers).toMatchObject([{ id: account.numberId }]);
    expect((await resultOf(client, 'list_trunks', { page: 1, per_page: 5 })).trunks).toMatchObject([
      { id: account.trunkId },
    ]);
    const base = { title: 'Hours', source_type: 'text', content: 'The shop in Hamburg is open from 9 to 18.' };
    await api.as(account.token).post(`/api/v1/agents/${account.agentId}/knowledge-bases`).send(base).expect(201);
    const { passages } = await resultOf(client, 'search_knowledge', {
      agent_id: account.agentId,
      query: 'Hamburg shop',
    });
    expect(passages).toMatchObject([{ title: 'Hours', text: expect.stringContaining('open from 9 to 18') }]);
  });

  it('returns a long transcript in parts that are complete together', async () => {
    const id = await aCall(api.pool, own, { status: 'completed', answered_at: new Date(), ended_at: new Date() });
    await api.pool.query(
      `INSERT INTO call_events (call_id, seq, at, type, data)
       SELECT $1, n, now() + n * interval '1 s', 'turn',
         jsonb_build_object('role', 'user', 'text', 'turn ' || n, 'started_ms', n * 1000, 'ended_ms', n * 1000 + 500, 'truncated', false)
       FROM generate_series(1, 450) n`,
      [id],
    );
    const client = await connect(own.token);
    const texts: string[] = [];
    const sizes: number[] = [];
    for (let from: number | null = 0; from !== null;) {
      const { turns, next_turn }: Result = await resultOf(client, 'get_transcript', { call_id: id, from_turn: from });
      texts.push(...turns.map(({ text }) => text));
      sizes.push(turns.length);
      from = next_turn;
    }
    expect(sizes).toEqual([200, 200, 50]);
    expect(texts).toEqual(Array.from({ length: 450 }, (_, index) => `turn ${index + 1}`));
  });

  it.each<[string, string, () => object, RegExp]>([
    ['a missing argument', 'place_call', () => ({}), /^The arguments are invalid\.\nto_number: is required\n/],
    ['an unknown argument', 'get_call', () => ({ call_id: 'x', id: 1 }), /id: is not a parameter/],
    ['a wrong number', 'place_call', () => ({ ...aDestination(), to_number: 'abc' }), /\nto_number\.0: .+/],
    [
      'a number that needs a trunk',
      'place_call',
      () => ({ ...aDestination(), to_number: '+15550002222' }),
      /\ntrunk_id: .+/,
    ],
    [
      'an unknown agent',
      'place_call',
      () => ({ ...aDestination(), agent_id: 2_000_000 }),
      /\nagent_id: No agent 2000000 in this account\./,
    ],
    [
      'a malformed id',
      'get_call',
      () => ({ call_id: '1; DROP TABLE calls' }),
      /^The requested resource|not found|Call/,
    ],
    ['a wrong cursor', 'list_calls', () => ({ cursor: 'x' }), /\ncursor: /],
    ['a wrong date', 'list_calls', () => ({ date_from: 'yesterday' }), /\ndate_from: /],
    [
      'a variable that is no value',
      'place_call',
      () => ({ ...aDestination(), variables: { name: ['Ada'] } }),
      /\nvariables\.name: must be/,
    ],
    [
      'a variable that is too long',
      'place_call',
      () => ({ ...aDestination(), variables: { name: 'x'.repeat(2_001) } }),
      /\nvariables\.name: .+/,
    ],
    [
      'an override of an unknown setting',
      'place_call',
      () => ({ ...aDestination(), agent_overrides: { tone: 'friendly' } }),
      /\nagent_overrides\.tone: is not a parameter/,
    ],
    [
      'an override with a wrong value',
      'place_call',
      () => ({ ...aDestination(), agent_overrides: { max_call_seconds: 0 } }),
      /\nagent_overrides\.max_call_seconds: .+/,
    ],
    ['a wrong key', 'place_call', () => ({ ...aDestination(), idempotency_key: 'a b' }), /Idempotency-Key: /],
    [
      'a search beyond the limit',
      'search_knowledge',
      () => ({ agent_id: own.agentId, query: 'x', limit: 99 }),
      /\nlimit: /,
    ],
  ])('explains %s to the assistant', async (_, name, args, sentence) => {
    const result = await call(await connect(own.token), name, args());
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(sentence)]);
  });

  it('reads, cancels and uses nothing of another account', async () => {
    const client = await connect(own.token);
    const theirs = await aCall(api.pool, other, { metadata: { word: MARKER } });
    const unknown = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33';
    for (const name of ['get_call', 'get_transcript', 'cancel_call'])
      expect(await call(client, name, { call_id: theirs })).toEqual(await call(client, name, { call_id: unknown }));
    const search = (agentId: number) => call(client, 'search_knowledge', { agent_id: agentId, query: MARKER });
    expect(await search(other.agentId)).toEqual(await search(2_000_000));
    for (const field of ['agent_id', 'number_id'] as const) {
      const place = async (id: number) =>
        JSON.stringify(await call(client, 'place_call', { ...aDestination(), [field]: id })).replace(` ${id} `, ' ID ');
      expect(await place(field === 'agent_id' ? other.agentId : other.numberId)).toEqual(await place(2_000_000));
    }
    for (const name of ['list_calls', 'list_agents', 'list_numbers', 'list_trunks'])
      expect(JSON.stringify(await call(client, name))).not.toContain(MARKER);
    expect((await resultOf(client, 'list_calls', { search: theirs })).calls).toEqual([]);
    expect((await api.as(other.token).get(`/api/v1/calls/${theirs}`)).body.data).toMatchObject({ status: 'pending' });
  });

  it('refuses missing, unknown and revoked tokens like the REST API', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const post = (authorization?: string) => {
      const request = api.as().post('/mcp').set('Accept', 'application/json, text/event-stream');
      return authorization ? request.set('Authorization', authorization).send(body) : request.send(body);
    };
    for (const answer of [await post(), await post('Bearer tk_unknown'), await post('Basic x')])
      expect([answer.status, answer.headers['www-authenticate'], answer.body]).toEqual([
        401,
        'Bearer',
        { message: expect.stringContaining('Unauthenticated.') },
      ]);
    // A process serves a token that it knows for a few seconds after its revocation; it does not know this one.
    const revoked = await aToken(api.pool, own.accountId);
    const hash = createHash('sha256').update(revoked).digest();
    await api.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE token_hash = $1', [hash]);
    expect((await api.as(revoked).post('/mcp').send(body)).status).toBe(401);
  });

  it('refuses pages of foreign origins, other methods, other types and oversized bodies', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const post = (headers: Record<string, string>) =>
      api
        .as(own.token)
        .post('/mcp')
        .set({ Accept: 'application/json, text/event-stream', ...headers });
    expect((await post({ Origin: 'https://evil.example.com' }).send(body)).status).toBe(403);
    for (const origin of ['https://app.example.com', PUBLIC_URL])
      expect((await post({ Origin: origin }).send(body)).status).toBe(200);
    const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
    const allowed = await api.as().options('/mcp').set(preflight);
    expect(allowed.headers['access-control-allow-headers']).toContain('Mcp-Protocol-Version');
    for (const method of ['get', 'delete', 'put'] as const) {
      const answer = await api.as(own.token)[method]('/mcp');
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'POST']);
    }
    expect((await post({ 'Content-Type': 'text/plain' }).send('x')).status).toBe(415);
    expect((await post({}).send({ ...body, params: { x: 'x'.repeat(300_000) } })).status).toBe(413);
    expect((await post({ Accept: 'text/html' }).send(body)).status).toBe(406);
    expect((await post({}).set('Content-Type', 'application/json').send('[]')).status).toBe(400);
    const { status, headers } = await post({ 'X-Request-Id': 'from-the-client' }).send(body);
    expect([status, headers['x-request-id'], headers['x-ratelimit-limit']]).toEqual([200, 'from-the-client', '60000']);
  });

  it('answers requests in any order and process, because it keeps no sessions', async () => {
    const agent = new Agent();
    const headers = {
      authorization: `Bearer ${own.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'list_agents', arguments: {} },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await rawRequest(url(), { method: 'POST', headers, body, dispatcher: agent });
        expect(answer.headers['mcp-session-id']).toBeUndefined();
        return (await answer.body.json()) as { id: number; result: { structuredContent: { total: number } } };
      }),
    );
    expect(answers.every(({ id, result }) => id === 7 && result.structuredContent.total === 1)).toBe(true);
    await agent.close();
  });
});
