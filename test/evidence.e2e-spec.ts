import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EvidenceBatch, findDiagnostics, forgetSipMessages, type LegRecord, writeEvidence } from '@app/calls';
import { v7 as uuidv7 } from 'uuid';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { aCall, aWorkspace, type Workspace } from './support/factories.js';

const DAY_MS = 86_400_000;

describe('what dialers keep of the signalling', () => {
  let database: TestDatabase;
  let pool: Pool;
  let workspace: Workspace;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 2 });
    // The database is dropped while the server still reads our goodbye.
    pool.on('error', () => undefined);
    workspace = await aWorkspace(pool);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('ours', now()), ('theirs', now())`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const aDialledCall = (more: Record<string, unknown> = {}) => aCall(pool, workspace, { owner: 'ours', ...more });
  const ours = (...ids: string[]) => ids.map((id) => ({ id, owner: 'ours' }));
  const of = (callId: string) => findDiagnostics(pool, workspace.accountId, callId);

  it('is written twice without harm, and a call that was deleted stops nobody else', async () => {
    const [kept, deleted] = await Promise.all([aDialledCall(), aDialledCall()]);
    await pool.query('DELETE FROM calls WHERE id = $1', [deleted]);
    const batch = join(messagesOf(kept, 2), messagesOf(deleted, 1));
    await writeEvidence(pool, ours(kept, deleted), batch);
    await writeEvidence(pool, ours(kept, deleted), batch);
    const { messages, legs } = await of(kept);
    expect(messages.map(({ seq, message }) => `${seq} ${message.toString('latin1')}`)).toEqual([
      '1 \0\xff',
      '2 \0\xff',
    ]);
    expect(legs).toEqual([{ leg: 1, direction: 'outbound', left_out: 0, rtp: null }]);
  });

  it('is written of calls that have ended, and by their dialer only', async () => {
    const callId = await aDialledCall({ status: 'completed', ended_at: new Date() });
    await writeEvidence(pool, [{ id: callId, owner: 'theirs' }], messagesOf(callId, 1));
    expect((await of(callId)).messages).toEqual([]);
    await writeEvidence(pool, ours(callId), messagesOf(callId, 1));
    expect((await of(callId)).messages).toHaveLength(1);
  });

  it('grows by what comes later: repetitions, statistics, what was left out', async () => {
    const callId = await aDialledCall();
    await writeEvidence(pool, ours(callId), messagesOf(callId, 1));
    const rtp = { sent: 5 } as LegRecord['rtp'];
    const repeat = { call_id: callId, seq: 1, retransmissions: 3, repeated_at: ['2026-01-02T00:00:00.500Z'] };
    const leg = { call_id: callId, leg: 1, direction: 'outbound' as const };
    await writeEvidence(pool, ours(callId), { legs: [{ ...leg, left_out: 2, rtp }], messages: [], repeats: [repeat] });
    await writeEvidence(pool, ours(callId), { legs: [{ ...leg, left_out: 4 }], messages: [], repeats: [] });
    const { messages, legs } = await of(callId);
    expect(messages).toMatchObject([{ retransmissions: 3, repeated_at: [new Date('2026-01-02T00:00:00.500Z')] }]);
    expect(legs).toMatchObject([{ left_out: 4, rtp: { sent: 5 } }]);
  });

  it('is forgotten after 30 days, but for the statistics', async () => {
    const [old, recent] = await Promise.all(
      [31, 29].map((days) => aDialledCall({ id: uuidv7({ msecs: Date.now() - days * DAY_MS }) })),
    );
    await writeEvidence(pool, ours(old!, recent!), join(messagesOf(old!, 2), messagesOf(recent!, 1)));
    expect(await forgetSipMessages(pool)).toBe(2);
    expect(await of(old!)).toMatchObject({ messages: [], legs: [{ leg: 1 }] });
    expect((await of(recent!)).messages).toHaveLength(1);
  });
});

function messagesOf(callId: string, count: number): EvidenceBatch {
  const messages = Array.from({ length: count }, (_none, i) => ({
    call_id: callId,
    seq: i + 1,
    leg: 1,
    at: '2026-01-02T00:00:00.000Z',
    direction: 'out' as const,
    transport: 'udp',
    local_address: '192.0.2.1',
    local_port: 5060,
    remote_address: '192.0.2.2',
    remote_port: 5060,
    message: Buffer.from('\0\xff', 'latin1').toString('base64'),
    retransmissions: 0,
    repeated_at: [],
  }));
  return { legs: [{ call_id: callId, leg: 1, direction: 'outbound', left_out: 0 }], messages, repeats: [] };
}

const join = (a: EvidenceBatch, b: EvidenceBatch): EvidenceBatch => ({
  legs: [...a.legs, ...b.legs],
  messages: [...a.messages, ...b.messages],
  repeats: [...a.repeats, ...b.repeats],
});
