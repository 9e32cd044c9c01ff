import { Client } from 'pg';

const ACCOUNTS = 50;
/** Accounts by id; agent and number of each have the same id. */
export const LARGE = 1;
export const USUAL = 2;
/** Few enough for an exact count at every request. */
const USUAL_CALLS = 2_000;
/** An account without calls. */
export const BUSY = ACCOUNTS + 1;
const BATCH = 20_000;
/** Two connections fill 1.5 times as fast as one. */
const CONNECTIONS = 2;

/** Never called: no worker runs. */
const WEBHOOK = JSON.stringify({ url: 'https://hooks.example.com/call-status', method: 'POST' });

const PEOPLE = [
  `INSERT INTO accounts (name) SELECT 'account ' || n FROM generate_series(1, ${BUSY}) AS n`,
  `INSERT INTO agents (account_id, name, call_status_webhook)
     SELECT n, 'Receptionist', '${WEBHOOK}' FROM generate_series(1, ${BUSY}) AS n`,
  `INSERT INTO phone_numbers (account_id, name, e164)
     SELECT n, 'main', '+1555' || lpad(n::text, 7, '0') FROM generate_series(1, ${BUSY}) AS n`,
];

/**
 * Calls $1 to $2 of $3, all ended: every $4th belongs to the usual account, a fifth of the rest to the large account, the others are
 * distributed by a hash. Ids have the form of uuidv7, so that their order is the order of creation; the newest call is a second old.
 */
const CALLS = `
  INSERT INTO calls (id, account_id, agent_id, number_id, status, to_number, from_number, agent_name, metadata, created_at,
    started_at, answered_at, ended_at, hangup_cause, sip_code, ended_by, cost_micros, realtime_cost_micros, event_seq, webhook_seq)
  SELECT (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(hash, 1, 3) || '-a' || substr(hash, 4, 3) || '-' ||
      substr(hash, 7, 12))::uuid,
    account, account, account, 'completed', '+1' || lpad((number % 10000000000)::text, 10, '0'),
    '+1555' || lpad(account::text, 7, '0'), 'Receptionist', jsonb_build_object('customer', 'c-' || n), at,
    at + interval '1 second', at + interval '5 seconds', at + interval '65 seconds', 'normal_clearing', 200, 'callee',
    12500, 9100, 5, 4
  FROM (
    SELECT n, at, hash, lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex,
      ('x' || substr(hash, 1, 12))::bit(48)::bigint AS number,
      CASE WHEN n % $4::bigint = 0 THEN ${USUAL} WHEN ('x' || substr(hash, 13, 4))::bit(16)::integer % 5 = 0 THEN ${LARGE}
        ELSE ${USUAL} + 1 + ('x' || substr(hash, 17, 6))::bit(24)::integer % ${ACCOUNTS - USUAL} END AS account
    FROM (SELECT n, md5(n::text) AS hash, now() - ($3::bigint - n + 1) * interval '1 second' AS at
      FROM generate_series($1::bigint, $2::bigint) AS n) AS numbered) AS made`;

/** Inserts people and calls into an empty database. */
export async function fillCalls(url: string, rows: number): Promise<void> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client({ connectionString: url }));
  const [main] = clients as [Client];
  const each = Math.max(1, Math.floor(rows / USUAL_CALLS));
  let next = 1;
  const fill = async (client: Client): Promise<void> => {
    for (let first = next; first <= rows; first = next) {
      next = first + BATCH;
      await client.query(CALLS, [first, Math.min(first + BATCH - 1, rows), rows, each]);
    }
  };
  try {
    for (const client of clients) await client.connect();
    for (const statement of PEOPLE) await main.query(statement);
    await Promise.all(clients.map(fill));
    await main.query('VACUUM (ANALYZE) calls');
  } finally {
    for (const client of clients) await client.end();
  }
}
