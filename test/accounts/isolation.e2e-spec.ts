import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { v7 as newId } from 'uuid';
import { isIdField, ownFields, tableOfField, tableOfPath } from '../support/account-ids.js';
import { AccountTables } from '../support/account-rows.js';
import {
  exampleBody,
  fieldsOf,
  isList,
  operations,
  parametersIn,
  setField,
  type Operation,
} from '../support/api-document.js';
import { anMcpServer, furtherRecords, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { seen } from '../support/seen-answer.js';

/** In every text of the other account. */
const MARKER = 'saffron-7731';

type Whose = 'own' | 'theirs' | 'unknown';

const service = Service.get();
let tables: AccountTables;
let routes: Operation[];
let own: Workspace;
let their: Workspace;

beforeAll(async () => {
  [tables, routes] = [await AccountTables.of(service.pool), await operations()];
  [own, their] = [await aFullAccount('cumin-1172'), await aFullAccount(MARKER)];
});
afterAll(() => service.close());

/** One of everything: over the API as far as it goes, the rest as made-up rows. */
async function aFullAccount(word: string): Promise<Workspace> {
  const account = await service.account({ name: `${word}-${newId()}` });
  const { accountId, agentId } = account;
  const { pool } = service;
  const webhook = { url: `https://example.com/${word}`, method: 'POST' };
  await pool.query(
    'UPDATE agents SET name = $2, greeting = $2, instructions = $2, call_status_webhook = $3 WHERE id = $1',
    [...[agentId, word], webhook],
  );
  for (const table of ['sip_trunks', 'phone_numbers'])
    await pool.query(`UPDATE ${table} SET name = $2 WHERE account_id = $1`, [accountId, word]);
  const post = (path: string, body: object) => service.as(account.token).post(`/api/v1/${path}`).send(body).expect(201);
  await post('webhook-secrets/rotate', {});
  const bases = `agents/${agentId}/knowledge-bases`;
  await post(bases, { title: word, source_type: 'text', content: `All ${word}.` });
  await post(`${bases}/tests`, { question: word, expected_text: word });
  const action = { name: 'ask', url: `https://example.com/${word}`, headers: { 'x-secret': word } };
  await post(`agents/${agentId}/tools`, { name: 'ask', description: word, webhook_actions: [action] });
  await post('web-keys', { name: word, agent_id: agentId, origins: [`https://${word}.example.com`] });
  await post('do-not-call', { number: '+88299900001', reason: word });
  await post(`agents/${agentId}/versions`, { note: word });
  await tables.numberVersions(agentId);
  await anMcpServer(pool, account, { name: word.replaceAll('-', '_'), url: `http://127.0.0.1:1/${word}` });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const made = await post('calls', {
    ...{ to_number: `sip:${word}@127.0.0.1`, agent_id: agentId, number_id: account.numberId, not_before: tomorrow },
    ...{ metadata: { word }, call_status_webhook_url: `http://127.0.0.1:9/${word}` },
  });
  const callId = made.body.data.call_id as string;
  await pool.query(
    `INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, source, arguments)
     VALUES ($1, $2, $3, 1, $4, 'invoke', '{}')`,
    [newId(), accountId, agentId, word],
  );
  await furtherRecords(pool, account, callId, word);
  await tables.fill(accountId, word, ['people', 'sessions', 'analysis_batches', 'webhook_endpoints']);
  return account;
}

async function idIn(table: string, whose: Whose): Promise<number | string> {
  const example = await tables.idIn(table, (whose === 'own' ? own : their).accountId);
  if (example === undefined) throw new Error(`The account has nothing in ${table}.`);
  if (whose !== 'unknown') return example;
  return typeof example === 'number' || /^\d+$/.test(example) ? 2_000_000_000 : newId();
}

async function pathOf(route: Operation, whose: (parameter: string) => Whose): Promise<string> {
  let path = route.path;
  for (const { name } of parametersIn(route, 'path'))
    path = path.replace(`{${name}}`, String(await idIn(tableOfPath(route.path, name, tables), whose(name))));
  return path;
}

type Body = Record<string, unknown> | undefined;

/** The example of the document with ids of the own account. */
async function bodyOf(route: Operation, field?: string): Promise<Body> {
  const body = exampleBody(route, field);
  for (const name of Object.keys(body ?? {}).filter(isIdField)) {
    const id = await idIn(tableOfField(name, route.path, tables), 'own');
    body![name] = Array.isArray(body![name]) ? [id] : id;
  }
  return body && Object.assign(body, ownFields(route.name, field));
}

async function send({ method }: Operation, path: string, body?: Body): Promise<Response> {
  const request = service.as(own.token)[method](path).accept('application/json');
  return body === undefined ? request : request.send(body);
}

/** Every choice of parameters that are foreign, but none. */
const choices = (names: readonly string[]): string[][] =>
  names.reduce<string[][]>((all, name) => [...all, ...all.map((one) => [...one, name])], [[]]).slice(1);

describe("another account's records", () => {
  it('are 404 like unknown ones, for every id in the path of every route', async () => {
    const withIds = routes.filter((route) => parametersIn(route, 'path').length > 0);
    expect(withIds.length).toBeGreaterThan(80);
    const before = await recordsOfTheirs(withIds);
    for (const route of withIds) {
      const body = await bodyOf(route);
      for (const foreign of choices(parametersIn(route, 'path').map(({ name }) => name))) {
        const ask = async (whose: Whose) =>
          send(route, await pathOf(route, (name) => (foreign.includes(name) ? whose : 'own')), body);
        const [theirs, nobodys] = [await ask('theirs'), await ask('unknown')];
        expect([route.name, foreign, theirs.status, seen(theirs)]).toEqual([route.name, foreign, 404, seen(nobodys)]);
        expect([route.name, theirs.text]).toEqual([route.name, expect.not.stringContaining(MARKER)]);
      }
    }
    expect(await recordsOfTheirs(withIds)).toEqual(before);
  });

  it('are 422 like unknown ones in every id of a body', async () => {
    let asked = 0;
    for (const route of routes) {
      const media = route.bodies['application/json'];
      const fields = media ? fieldsOf(media.schema).filter(([field]) => isIdField(field.split('.').at(-1) ?? '')) : [];
      for (const [field, schema] of fields) {
        const table = tableOfField(field, route.path, tables);
        const path = await pathOf(route, () => 'own');
        const ask = async (whose: Whose) => {
          const body = (await bodyOf(route, field)) ?? {};
          const id = await idIn(table, whose);
          setField(body, field, isList(schema) ? [id] : id);
          const answer = await send(route, path, body);
          return { status: answer.status, seen: seen(answer, id) };
        };
        const [theirs, nobodys] = [await ask('theirs'), await ask('unknown')];
        expect([route.name, field, theirs.status, theirs.seen]).toEqual([route.name, field, 422, nobodys.seen]);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(20);
  });

  it('are in no list', async () => {
    const lists = routes.filter(
      ({ method, scope, path }) => method === 'get' && scope !== undefined && !/\}$/.test(path),
    );
    expect(lists.length).toBeGreaterThan(30);
    for (const route of lists) {
      const required = parametersIn(route, 'query').filter(({ required: isRequired }) => isRequired);
      if (required.length > 0 || route.path.endsWith('/events') || route.path.endsWith('.pcap')) continue;
      const answer = await send(route, await pathOf(route, () => 'own'));
      expect([route.name, answer.text]).toEqual([route.name, expect.not.stringContaining(MARKER)]);
    }
  });
});

const CHANGING = [
  'webhook_deliveries',
  'webhook_endpoints',
  'knowledge_bases',
  'knowledge_tests',
  'api_tokens',
  'sessions',
];

/** The records that paths name, but those that the worker changes: deliveries, and tests of knowledge; tokens and sessions change by their use. */
async function recordsOfTheirs(withIds: Operation[]): Promise<Record<string, string[]>> {
  const named = new Set(
    withIds.flatMap((route) => parametersIn(route, 'path').map(({ name }) => tableOfPath(route.path, name, tables))),
  );
  for (const table of CHANGING) named.delete(table);
  const rows = await tables.rowsOf(their.accountId);
  return Object.fromEntries([...named].map((table) => [table, rows[table] ?? []]));
}
