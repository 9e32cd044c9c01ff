import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallDiagnosticsService } from './call-diagnostics.service.js';
import { CallRetentionService } from '../recordings/call-retention.service.js';
import { CallsModule } from '../calls.module.js';
import { type EvidenceBatch, type LegRecord } from './call-evidence.repository.js';
import type { INestApplicationContext } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openServices } from '../../../../test/support/services.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';

const DAY_MS = 86_400_000;

describe('the stored signalling of a call', () => {
  let database: TestDatabase;
  let pool: Pool;
  let workspace: Workspace;
  let services: INestApplicationContext;
  let diagnostics: CallDiagnosticsService;

  beforeAll(async () => {
    database = await createTestDatabase();
    services = await openServices({ DATABASE_URL: database.url }, [CallsModule]);
    diagnostics = services.get(CallDiagnosticsService);
    pool = new Pool({ connectionString: database.url, max: 2 });
    // The database is dropped while the server still reads our goodbye.
    pool.on('error', () => undefined);
    workspace = await aWorkspace(pool);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('ours', now()), ('theirs', now())`);
  });
  afterAll(async () => {
    await services.close();
    await pool.end();
    await database.drop();
  });

  const aDialledCall = (more: Record<string, unknown> = {}) => aCall(pool, workspace, { owner: 'ours', ...more });
  const ours = (...ids: string[]) => ids.map((id) => ({ id, owner: 'ours' }));
  const of = (callId: string) => diagnostics.find(workspace.accountId, callId, { mayCommand: true });

  it('is the same after a repeated batch, and a deleted call in the batch does not affect the others', async () => {
    const [kept, deleted] = await Promise.all([aDialledCall(), aDialledCall()]);
    await pool.query('DELETE FROM calls WHERE id = $1', [deleted]);
    const batch = join(messagesOf(kept, 2), messagesOf(deleted, 1));
    await diagnostics.record(ours(kept, deleted), batch);
    await diagnostics.record(ours(kept, deleted), batch);
    const { messages, legs } = await of(kept);
    expect(messages.map(({ seq, message }) => `${seq} ${message.toString('latin1')}`)).toEqual([
      '1 \0\xff',
      '2 \0\xff',
    ]);
    expect(legs).toEqual([{ leg: 1, direction: 'outbound', left_out: 0, rtp: null }]);
  });

  it('is written after the end of the call too, and by its own dialer only', async () => {
    const callId = await aDialledCall({ status: 'completed', ended_at: new Date() });
    await diagnostics.record([{ id: callId, owner: 'theirs' }], messagesOf(callId, 1));
    expect((await of(callId)).messages).toEqual([]);
    await diagnostics.record(ours(callId), messagesOf(callId, 1));
    expect((await of(callId)).messages).toHaveLength(1);
  });

  it('is extended by later retransmissions, statistics and counts of left-out messages', async () => {
    const callId = await aDialledCall();
    await diagnostics.record(ours(callId), messagesOf(callId, 1));
    const rtp = { sent: 5 } as LegRecord['rtp'];
    const repeat = { call_id: callId, seq: 1, retransmissions: 3, repeated_at: ['2026-01-02T00:00:00.500Z'] };
    const leg = { call_id: callId, leg: 1, direction: 'outbound' as const };
    await diagnostics.record(ours(callId), { legs: [{ ...leg, left_out: 2, rtp }], messages: [], repeats: [repeat] });
    await diagnostics.record(ours(callId), { legs: [{ ...leg, left_out: 4 }], messages: [], repeats: [] });
    const { messages, legs } = await of(callId);
    expect(messages).toMatchObject([{ retransmissions: 3, repeated_at: [new Date('2026-01-02T00:00:00.500Z')] }]);
    expect(legs).toMatchObject([{ left_out: 4, rtp: { sent: 5 } }]);
  });

  it('is deleted after 30 days, and the statistics stay', async () => {
    const [old, recent] = await Promise.all(
      [31, 29].map((days) => aDialledCall({ id: uuidv7({ msecs: Date.now() - days * DAY_MS }) })),
    );
    await diagnostics.record(ours(old!, recent!), join(messagesOf(old!, 2), messagesOf(recent!, 1)));
    expect(await services.get(CallRetentionService).deleteOldSipMessages()).toBe(2);
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
