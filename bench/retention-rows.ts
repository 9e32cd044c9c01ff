import { type Client } from 'pg';

/** Share of an account's calls that are kept. */
const KEPT = 0.75;
const SIP_DAYS = 30;
const CHUNK = 5_000;

/** The account's time of retention, in whole days, so that about a quarter of its calls is older. */
export async function retentionDays(client: Client, accountId: number): Promise<number> {
  const { rows } = await client.query<{ days: number }>(
    `SELECT greatest(1, round(${KEPT} * extract(epoch FROM now() - min(ended_at)) / 86400))::integer AS days
      FROM calls WHERE account_id = $1`,
    [accountId],
  );
  return rows[0]?.days ?? 1;
}

/** The next calls that have no recording yet; $1: account, $2: days, $3: the last id of the previous chunk. */
const NEXT = `SELECT id FROM calls WHERE account_id = $1 AND ended_at < now() - $2 * interval '1 day' AND id > $3
    AND recording_key IS NULL AND recording_deleted_at IS NULL ORDER BY id LIMIT ${CHUNK}`;

/** What a conversation of eight turns and one tool call leaves: its recording, events, words, invocation and post-call delivery. */
const CONVERSATION = [
  `UPDATE calls SET recording_key = 'recordings/' || account_id || '/' || id || '.wav', recording_bytes = 4096, recording_ms = 60000,
     summary = 'The caller asked for a date, and the agent booked one.' WHERE id = ANY ($1::uuid[])`,
  `INSERT INTO call_events (call_id, seq, at, type, data)
     SELECT c.id, seq, c.answered_at + seq * interval '6 seconds', CASE seq WHEN 1 THEN 'status' WHEN 10 THEN 'status' WHEN 6 THEN 'tool_call' ELSE 'turn' END,
       jsonb_build_object('role', 'user', 'text', 'I would like to know whether there is a date on Tuesday for number ' || md5(c.id::text || seq), 'started_ms', seq * 6000)
     FROM calls c, generate_series(1, 10) AS seq WHERE c.id = ANY ($1::uuid[])`,
  `INSERT INTO call_search (call_id, account_id, words)
     SELECT id, account_id, array_to_tsvector(ARRAY['@' || account_id]) || to_tsvector('simple', (
       SELECT string_agg('w' || floor(3000 * power(random(), 4))::integer, ' ') FROM generate_series(1, 60) WHERE calls.id IS NOT NULL))
     FROM calls WHERE id = ANY ($1::uuid[])`,
  `INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, call_id, source, arguments, ok, result, started_at, ended_at)
     SELECT id, account_id, agent_id, 1, 'find_date', id, 'call', '{"day": "Tuesday"}', true, '{"date": "9:30"}', answered_at, ended_at
     FROM calls WHERE id = ANY ($1::uuid[])`,
  `WITH streams AS (
       INSERT INTO webhook_streams (account_id, call_id, url, host, created_at)
       SELECT account_id, id, 'https://hooks.example.com/post-call', 'hooks.example.com', ended_at FROM calls WHERE id = ANY ($1::uuid[])
       RETURNING id, account_id, call_id, url, created_at),
     sent AS (
       INSERT INTO webhook_deliveries (id, stream_id, account_id, call_id, type, event, sequence, method, url, body, state, attempts, created_at)
       SELECT call_id, id, account_id, call_id, 'post-call', 'post-call', 5, 'POST', url, repeat('{"text": "a turn"} ', 100), 'delivered', 1, created_at
       FROM streams RETURNING id, created_at)
   INSERT INTO webhook_attempts (delivery_id, attempt, at, status, latency_ms) SELECT id, 1, created_at, 200, 40 FROM sent`,
];

/** The messages of an answered call. */
const SIP_MESSAGES = `
  INSERT INTO call_sip_messages (call_id, seq, leg, at, direction, transport, local_address, local_port, remote_address, remote_port, message)
    SELECT id, seq, 1, started_at, 'out', 'udp', '192.0.2.1', 5060, '192.0.2.2', 5060, convert_to(repeat(md5(id::text || seq), 20), 'UTF8')
    FROM calls, generate_series(1, 8) AS seq WHERE id = ANY ($1::uuid[]) AND started_at < now() - interval '${SIP_DAYS} days'`;

/** Adds recordings, transcripts and SIP messages to the account's calls that are older than `days`. */
export async function fillExpired(client: Client, accountId: number, days: number): Promise<void> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await client.query<{ id: string }>(NEXT, [accountId, days, last]);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) break;
    last = ids.at(-1) as string;
    await client.query('BEGIN');
    for (const statement of [...CONVERSATION, SIP_MESSAGES]) await client.query(statement, [ids]);
    await client.query('COMMIT');
  }
  await client.query(
    'VACUUM (ANALYZE) calls, call_events, call_search, tool_invocations, webhook_streams, webhook_deliveries, call_sip_messages',
  );
}
