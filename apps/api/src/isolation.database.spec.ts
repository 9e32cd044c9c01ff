import type { Scope } from '@app/auth';
import { newId, Encryption } from '@app/common';
import { newWebhookSecret } from '@app/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import type { Response } from 'supertest';
import { isIdField, ownFields, tableOfField, tableOfPath } from '../../../test/support/account-ids.js';
import { AccountTables } from '../../../test/support/account-rows.js';
import {
  exampleBody,
  fieldsOf,
  isList,
  operations,
  parametersIn,
  setField,
  type Operation,
  type Schema,
} from '../../../test/support/api-document.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import {
  aCall,
  anMcpServer,
  aToken,
  aWorkspace,
  furtherRecords,
  type Workspace,
} from '../../../test/support/factories.js';
import { STATUS_OF_WRONG, wrongRequests } from '../../../test/support/wrong-requests.js';
import { seen } from '../../../test/support/seen-answer.js';

/** In every text of the other account. */
const MARKER = 'saffron-7731';

type Id = number | string;
/** Where an id comes from: a record of one of the two accounts, or no record at all. */
type Whose = 'own' | 'theirs' | 'unknown';

let api: InProcessApi;
let tables: AccountTables;
let routes: Operation[];
let own: Workspace;
let their: Workspace;
let before: string;

beforeAll(async () => {
  api = await InProcessApi.start();
  [tables, routes] = [await AccountTables.of(api.pool), await operations()];
  [own, their] = [await aFullAccount('own'), await aFullAccount(MARKER)];
  before = await everythingOfTheirs();
});
afterAll(() => api?.stop());

/** One of everything, made over the API as far as it goes; the rest gets made-up rows. */
async function aFullAccount(word: string): Promise<Workspace> {
  const account = await aWorkspace(api.pool, { name: `${word} account` });
  const { agentId, numberId } = account;
  await api.pool.query('UPDATE agents SET name = $2, greeting = $2, instructions = $2 WHERE id = $1', [agentId, word]);
  const webhook = { url: `https://example.com/${word}`, method: 'POST' };
  await api.pool.query('UPDATE agents SET call_status_webhook = $2 WHERE id = $1', [agentId, webhook]);
  for (const table of ['sip_trunks', 'phone_numbers'])
    await api.pool.query(`UPDATE ${table} SET name = $2 WHERE account_id = $1`, [account.accountId, word]);
  const secret = api.app.get(Encryption).encrypt(newWebhookSecret(), 'webhook-secret');
  await api.pool.query('INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)', [
    account.accountId,
    secret,
  ]);
  const post = async (path: string, body: object): Promise<Response> => {
    const answer = await api.as(account.token).post(path).set('Idempotency-Key', keyFor(word, path)).send(body);
    if (answer.status !== 201 && answer.status !== 202)
      throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const bases = `/api/v1/agents/${agentId}/knowledge-bases`;
  await post(bases, { title: word, source_type: 'text', content: `All ${word}.` });
  await post(`${bases}/tests`, { question: word, expected_text: word });
  const action = { name: 'ask', url: `https://example.com/${word}`, headers: { 'x-secret': word } };
  await post(`/api/v1/agents/${agentId}/tools`, { name: 'ask', description: word, webhook_actions: [action] });
  await anMcpServer(api.pool, account, { name: word.replaceAll('-', '_'), url: `http://127.0.0.1:1/${word}` });
  const call_status_webhook_url = `https://example.com/${word}`;
  await post('/api/v1/calls', {
    to_number: `sip:${word}@127.0.0.1`,
    agent_id: agentId,
    number_id: numberId,
    metadata: { word },
    call_status_webhook_url,
  });
  for (const number of ['+88299900001', '+88299900002']) await post('/api/v1/do-not-call', { number, reason: word });
  await post(`/api/v1/agents/${agentId}/versions`, { note: word });
  await tables.numberVersions(agentId);
  await post('/api/v1/webhooks/test', { url: call_status_webhook_url });
  for (const id of [firstId(), newId()])
    await api.pool.query(
      `INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, source, arguments)
       VALUES ($1, $2, $3, 1, $4, 'invoke', '{}')`,
      [id, account.accountId, agentId, word],
    );
  const ended = { status: 'completed', answered_at: new Date(), ended_at: new Date(), started_at: new Date() };
  const callId = await aCall(api.pool, account, {
    ...ended,
    id: firstId(),
    agent_name: word,
    to_number: `sip:${word}@127.0.0.1`,
    summary: word,
  });
  await furtherRecords(api.pool, account, callId, word);
  await tables.fill(account.accountId, word);
  return account;
}

/** One for each collection: a key belongs to one request of an account. */
const keyFor = (word: string, path: string): string => `${word}-${path.split('/').at(-1)}`;

/** Sorted before all others, so that it is the one that is asked about. */
const firstId = (): string => newId().replace(/^.{8}/, '00000000');

/** Without the time at which their token was last used: the look-up of a token writes it once a minute. */
const everythingOfTheirs = async (): Promise<string> =>
  JSON.stringify([await tables.rowsOf(their.accountId), await readdir(api.home, { recursive: true })]).replaceAll(
    /last_used_at[^,}]*/g,
    '',
  );

async function idIn(table: string, whose: Whose): Promise<Id> {
  const example = await tables.idIn(table, (whose === 'own' ? own : their).accountId);
  if (example === undefined) throw new Error(`The account has nothing in ${table}.`);
  if (whose !== 'unknown') return example;
  return typeof example === 'number' || /^\d+$/.test(example) ? 2_000_000_000 : newId();
}

/** The path of a route, its parameters filled in. */
async function pathOf(route: Operation, whose: (parameter: string) => Whose): Promise<string> {
  let path = route.path;
  for (const { name } of parametersIn(route, 'path')) {
    const id = await idIn(tableOfPath(route.path, name, tables), whose(name));
    path = path.replace(`{${name}}`, String(id));
  }
  return path;
}

/** A body that is right for the account, or undefined where the route takes none. */
type Body = Record<string, unknown> | undefined;
async function bodyOf(route: Operation, whose: 'own' | 'theirs', field?: string): Promise<Body> {
  const body = exampleBody(route, field);
  for (const name of Object.keys(body ?? {}).filter(isIdField)) {
    const id = await idIn(tableOfField(name, route.path, tables), whose);
    body![name] = Array.isArray(body![name]) ? [id] : id;
  }
  return body && Object.assign(body, ownFields(route.name, field));
}

const queryOf = (route: Operation): Record<string, string> =>
  Object.fromEntries(
    parametersIn(route, 'query')
      .filter(({ required }) => required)
      .map(({ name, schema }) => [name, schema.type === 'integer' ? '1' : 'x']),
  );

interface Sent {
  query?: Record<string, string>;
  body?: object;
}

function send(route: Operation, path: string, { query = {}, body }: Sent, token?: string): Promise<Response> {
  const request = api.as(token)[route.method](path);
  void request.accept('application/json').query({ ...queryOf(route), ...query });
  return Promise.resolve(body === undefined ? request : request.send(body));
}

/** Links repeat what was asked for. */
function textOf({ body, text }: Response): string {
  const { links: _links, ...rest } = (body ?? {}) as { links?: unknown };
  return Object.keys(rest).length > 0 ? JSON.stringify(rest) : _links === undefined ? text : '';
}

const withToken = (): Operation[] => routes.filter(({ scope }) => scope !== undefined);
/** The text of a command is spoken, not searched for. */
const searches = (): Operation[] =>
  withToken().filter(
    ({ method, bodies, path }) => method === 'post' && 'application/json' in bodies && !path.endsWith('/commands'),
  );
const withIds = (): Operation[] => routes.filter((route) => parametersIn(route, 'path').length > 0);

describe("another account's records", () => {
  it('return the same 404 for an invalid request: existence is checked before content', async () => {
    const asked = new Set<string>();
    for (const route of withIds().filter(({ scope }) => scope !== undefined)) {
      for (const [kind, request] of wrongRequests(route)) {
        const answerTo = async (whose: Whose) =>
          request(api.as(own.token)[route.method](await pathOf(route, () => whose)));
        const [theirs, nobodys, ours] = [await answerTo('theirs'), await answerTo('unknown'), await answerTo('own')];
        expect([route.name, kind, ours.status]).toEqual([route.name, kind, STATUS_OF_WRONG[kind]]);
        expect([route.name, kind, seen(theirs)]).toEqual([route.name, kind, seen(nobodys)]);
        expect([route.name, kind, theirs.status, textOf(theirs)]).toEqual([
          route.name,
          kind,
          404,
          expect.not.stringContaining(MARKER),
        ]);
        asked.add(`${route.name} ${kind}`);
      }
    }
    expect([...asked]).toEqual(
      expect.arrayContaining([
        'PUT /api/v1/agents/{agent_id}/tools/{id} fields',
        'POST /api/v1/tokens/{id}/rotate fields',
        'POST /api/v1/agents/{agent_id}/simulations fields',
        'GET /api/v1/agents/{agent_id}/tools query',
      ]),
    );
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it('return 422 in a body like unknown records, while own records are accepted', async () => {
    const asked: string[] = [];
    for (const route of routes) {
      const path = await pathOf(route, () => 'own');
      for (const [field, schema] of idFieldsOf(route)) {
        const table = tableOfField(field, route.path, tables);
        const answerTo = async (whose: Whose) => {
          const body = (await bodyOf(route, 'own', field)) ?? {};
          const id = await idIn(table, whose);
          setField(body, field, isList(schema) ? [id] : id);
          return Object.assign(await send(route, path, { body }, own.token), { id });
        };
        const [theirs, nobodys] = [await answerTo('theirs'), await answerTo('unknown')];
        expect([route.name, field, seen(theirs, theirs.id)]).toEqual([route.name, field, seen(nobodys, nobodys.id)]);
        expect([route.name, field, theirs.status]).toEqual([route.name, field, 422]);
        expect([route.name, field, (await answerTo('own')).status === 422]).toEqual([route.name, field, false]);
        asked.push(`${route.name} ${field}`);
      }
    }
    expect(asked).toContain('POST /api/v1/calls knowledge_base_ids');
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it('appear in no list, with any filter', async () => {
    for (const route of withToken().filter(({ method }) => method === 'get')) {
      const path = await pathOf(route, () => 'own');
      const queries = await foreignQueries(route);
      for (const query of [{}, { per_page: '100' }, ...queries]) {
        const answer = await send(route, path, { query }, own.token);
        expect([route.name, query, answer.status >= 500]).toEqual([route.name, query, false]);
        expect([route.name, query, textOf(answer)]).toEqual([route.name, query, expect.not.stringContaining(MARKER)]);
      }
      for (const query of queries.filter((one) => Object.keys(one).some(isIdField))) {
        const { status, body } = await send(route, path, { query }, own.token);
        expect([route.name, query, status === 422 ? [] : body.data]).toEqual([route.name, query, []]);
      }
    }
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it('are found by no search and no simulation', async () => {
    for (const route of searches()) {
      const texts = Object.keys(exampleBody(route) ?? {}).filter((name) => /^(?:query|search|text)$/.test(name));
      for (const name of texts) {
        const body = { ...(await bodyOf(route, 'own')), [name]: MARKER };
        const answer = await send(route, await pathOf(route, () => 'own'), { body }, own.token);
        expect([route.name, answer.status, textOf(answer)]).toEqual([
          route.name,
          200,
          expect.not.stringContaining(MARKER),
        ]);
      }
    }
  });

  it('are not returned for an Idempotency-Key that both accounts use', async () => {
    for (const route of routes.filter((one) =>
      parametersIn(one, 'header').some(({ name }) => name === 'Idempotency-Key'),
    )) {
      const request = api.as(own.token)[route.method](await pathOf(route, () => 'own'));
      const answer = await request.set('Idempotency-Key', keyFor(MARKER, route.path)).send(await bodyOf(route, 'own'));
      expect([route.name, answer.headers['idempotent-replayed'], textOf(answer)]).toEqual([
        route.name,
        undefined,
        expect.not.stringContaining(MARKER),
      ]);
    }
    expect(await everythingOfTheirs()).toEqual(before);
  });
});

/** `field -> schema` of what names records in the JSON body of a route. */
const idFieldsOf = ({ bodies }: Operation): [string, Schema][] =>
  fieldsOf(bodies['application/json']?.schema ?? {}).filter(([field]) => isIdField(field.split('.').at(-1) ?? ''));

/** Filters that lead to the other account: its ids, its cursors, its words. */
async function foreignQueries(route: Operation): Promise<Record<string, string>[]> {
  const queries: Record<string, string>[] = [];
  for (const { name, schema } of parametersIn(route, 'query')) {
    if (isIdField(name)) queries.push({ [name]: String(await idIn(tableOfField(name, route.path, tables), 'theirs')) });
    else if (name === 'cursor') queries.push({ cursor: await cursorOfTheirs(route) });
    else if (schema.type === 'string' && !schema.enum && !schema.format) queries.push({ [name]: MARKER });
  }
  return queries;
}

async function cursorOfTheirs(route: Operation): Promise<string> {
  const first = { pagination: 'cursor', per_page: '1' };
  const { body } = await send(route, await pathOf(route, () => 'theirs'), { query: first }, their.token);
  const cursor: unknown = body.meta?.next_cursor;
  if (typeof cursor !== 'string')
    throw new Error(`${route.name} gave no cursor: the seed of this test needs two records of what it lists.`);
  return cursor;
}

describe('every authenticated route', () => {
  it('returns 401 without a token', async () => {
    for (const route of withToken()) {
      const answer = await send(route, await pathOf(route, () => 'own'), { body: await bodyOf(route, 'own') });
      expect([route.name, answer.status, answer.body]).toEqual([
        route.name,
        401,
        { message: expect.stringMatching(/^Unauthenticated\. The request has no Authorization header\./) },
      ]);
    }
  });

  it('accepts a token with the required scope only', async () => {
    for (const route of withToken()) {
      const token = await aToken(api.pool, their.accountId, [route.scope as Scope]);
      const path = await pathOf(route, () => 'unknown');
      const { status } = await send(route, path, { body: await bodyOf(route, 'theirs') }, token);
      expect([route.name, status === 401 || status === 403]).toEqual([route.name, false]);
    }
  });

  it('serves its own account', async () => {
    const last = ({ method, path }: Operation) => (method === 'delete' ? 100 - path.length / 1_000 : 0);
    for (const route of withToken().toSorted((a, b) => last(a) - last(b))) {
      const token = await aToken(api.pool, their.accountId); // Some routes end a token.
      const path = await pathOf(route, () => 'theirs');
      const { status } = await send(route, path, { body: await bodyOf(route, 'theirs') }, token);
      // Without a dialer no trunk is tested.
      const answered = status < 500 || (status === 503 && route.path.endsWith('/{trunkId}/test'));
      const isAbsent = status === 404 && /\/account\/sign-in(?:\/test)?$|\/sessions\/|\/scenario$/.test(route.path);
      const isRefused = [401, 403, 404].includes(status) && !isAbsent;
      expect([route.name, isRefused, answered]).toEqual([route.name, false, true]);
    }
  });
});
