import { writeCursor } from '@app/database';
import { Client } from 'pg';
import type { BenchAccount, BenchDatabase } from './api-database.js';
import type { LoadRequest } from './api-load.js';

const PATH = '/api/v1/calls';
const SAMPLES = 1_000;

/** The requests; each function returns the next one. */
export interface Requests {
  one: () => LoadRequest;
  list: () => LoadRequest;
  /** Without a total. */
  slice: () => LoadRequest;
  create: () => LoadRequest;
  largeList: () => LoadRequest;
  largeSlice: () => LoadRequest;
  /** By cursor, behind 95 % of the large account's calls. */
  deep: () => LoadRequest;
  /** Six digits from the middle of phone numbers of the large account. */
  search: () => LoadRequest;
}

export async function requestsFor({ url, usual, large, busy }: BenchDatabase): Promise<Requests> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const ids = await client.query<{ id: string }>(
      'SELECT id FROM calls WHERE account_id = $1 ORDER BY md5(id::text) LIMIT $2',
      [usual.accountId, SAMPLES],
    );
    const searches = await client.query<{ digits: string }>(
      'SELECT substr(to_number, 4, 6) AS digits FROM calls WHERE account_id = $1 ORDER BY id LIMIT $2',
      [large.accountId, SAMPLES],
    );
    const cursor = await cursorAtDepth(client, large.accountId, 0.95);
    return {
      one: inTurn(ids.rows.map(({ id }) => get(usual, `/${id}`))),
      list: () => get(usual, ''),
      slice: () => get(usual, '?pagination=cursor'),
      create: () => creation(busy),
      largeList: () => get(large, ''),
      largeSlice: () => get(large, '?pagination=cursor'),
      deep: () => get(large, `?cursor=${cursor}`),
      search: inTurn(searches.rows.map(({ digits }) => get(large, `?search=${digits}`))),
    };
  } finally {
    await client.end();
  }
}

async function cursorAtDepth(client: Client, accountId: number, depth: number): Promise<string> {
  const { rows } = await client.query<{ id: string; micros: string }>(
    `SELECT id, (extract(epoch FROM created_at) * 1000000)::bigint AS micros FROM calls WHERE account_id = $1
       ORDER BY created_at DESC, id DESC LIMIT 1
       OFFSET (SELECT floor(count(*) * $2::double precision) FROM calls WHERE account_id = $1)`,
    [accountId, depth],
  );
  if (!rows[0]) throw new Error('The large account has no calls.');
  return writeCursor({ ...rows[0], direction: 'older' });
}

const get = ({ token }: BenchAccount, rest: string): LoadRequest => ({ method: 'GET', path: PATH + rest, token });

function creation({ token, agentId, numberId }: BenchAccount): LoadRequest {
  const body = JSON.stringify({ to_number: 'sip:answer@sip.example.com', agent_id: agentId, number_id: numberId });
  return { method: 'POST', path: PATH, token, body };
}

function inTurn(requests: LoadRequest[]): () => LoadRequest {
  let turn = 0;
  return () => requests[turn++ % requests.length] as LoadRequest;
}
