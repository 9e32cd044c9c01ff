import {
  CALL_LIST,
  CallLinksService,
  callListCondition,
  type CallReferences,
  callReferencesQuery,
  type CallRow,
  callView,
  type CallWithResults,
  callWithResultsView,
  type CreateCallsCommand,
  createCallsQuery,
  FIND_CALL_WITH_RESULTS,
  newCallRows,
  newCalls,
  REQUESTED_DEFAULTS,
  settingsByVersion,
} from '@app/calls';
import { Encryption } from '@app/common';
import { countQuery, cursorAt, firstPageQuery, type Listed, sliceQuery } from '@app/database';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

/**
 * The limit for the api: bare node:http and pg with the same statements and the same responses, without error handling, validation,
 * request log and rate limits.
 */
const env = process.env as { DATABASE_URL: string; DATABASE_POOL: string; SECRET_KEY: string; PUBLIC_URL: string };
const PER_PAGE = 15;
const pool = new Pool({ connectionString: env.DATABASE_URL, max: Number(env.DATABASE_POOL) });
const encryption = new Encryption(env.SECRET_KEY);
const links = new CallLinksService({ PORT: 0, PUBLIC_URL: env.PUBLIC_URL }, encryption);
const path = `${env.PUBLIC_URL}/api/v1/calls`;
const accounts = new Map<string, number>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = (request.headers.authorization ?? '').slice('Bearer '.length);
  const accountId = accounts.get(createHash('sha256').update(token).digest('hex'));
  if (accountId === undefined) return void response.writeHead(401).end();
  const url = request.url ?? '';
  if (request.method === 'POST') return send(response, 201, await create(accountId, await bodyOf(request)));
  if (url.startsWith('/api/v1/calls/')) return send(response, 200, await find(accountId, url.slice(14)));
  send(response, 200, await (url.includes('pagination=cursor') ? slice(accountId) : page(accountId)));
}

async function find(accountId: number, callId: string): Promise<unknown> {
  const { rows } = await pool.query<CallWithResults>({ ...FIND_CALL_WITH_RESULTS, values: [accountId, callId] });
  return { data: callWithResultsView(rows[0]!, links) };
}

async function page(accountId: number): Promise<unknown> {
  const condition = callListCondition(accountId, {});
  const { rows } = await pool.query<CallRow>(firstPageQuery(CALL_LIST, condition, PER_PAGE));
  const counted = await pool.query<{ n: number }>(countQuery(CALL_LIST, condition));
  const total = counted.rows[0]?.n ?? 0;
  const last = Math.ceil(total / PER_PAGE);
  return {
    data: rows.map((row) => callView(row, links)),
    links: { first: `${path}?page=1`, last: `${path}?page=${last}`, prev: null, next: `${path}?page=2` },
    meta: { current_page: 1, from: 1, last_page: last, path, per_page: PER_PAGE, to: rows.length, total },
  };
}

async function slice(accountId: number): Promise<unknown> {
  const { rows } = await pool.query<Listed<CallRow>>(
    sliceQuery(CALL_LIST, callListCondition(accountId, {}), PER_PAGE + 1),
  );
  const shown = rows.slice(0, PER_PAGE);
  const next = cursorAt(shown.at(-1), 'older');
  return {
    data: shown.map((row) => callView(row, links)),
    links: { first: null, last: null, prev: null, next: `${path}?pagination=cursor&cursor=${next}` },
    meta: { path, per_page: PER_PAGE, next_cursor: next, prev_cursor: null },
  };
}

async function create(accountId: number, body: { to_number: string; agent_id: number; number_id: number }) {
  const command: CreateCallsCommand = {
    destinations: [{ kind: 'sip', address: body.to_number }],
    agentId: body.agent_id,
    numberId: body.number_id,
    columns: REQUESTED_DEFAULTS,
    overrides: { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} },
  };
  const { rows } = await pool.query<CallReferences>(callReferencesQuery(accountId, command));
  const found = rows[0]!;
  const rowsOfCalls = newCallRows(accountId, command, found, settingsByVersion(found, command.overrides, encryption));
  const calls = newCalls(rowsOfCalls);
  await pool.query(createCallsQuery([{ calls }]));
  return { message: 'Call initiated successfully.', data: calls.views[0] };
}

function bodyOf(request: IncomingMessage): Promise<Parameters<typeof create>[1]> {
  return new Promise((resolve) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => resolve(JSON.parse(text) as Parameters<typeof create>[1]));
  });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

const tokens = await pool.query<{ hash: string; account_id: number }>(
  `SELECT encode(token_hash, 'hex') AS hash, account_id FROM api_tokens`,
);
for (const { hash, account_id } of tokens.rows) accounts.set(hash, account_id);
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
