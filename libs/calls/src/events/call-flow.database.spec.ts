import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { openServices } from '../../../../test/support/services.js';
import { CallsModule } from '../calls.module.js';
import { CallsService } from '../calls.service.js';
import { callFlowView } from '../presenters/call-flow.presenter.js';
import { CallEventsService } from './call-events.service.js';

describe('the flow of a call', () => {
  let database: TestDatabase;
  let pool: Pool;
  let workspace: Workspace;
  let services: INestApplicationContext;

  beforeAll(async () => {
    database = await createTestDatabase();
    services = await openServices({ DATABASE_URL: database.url }, [CallsModule]);
    pool = new Pool({ connectionString: database.url, max: 2 });
    // The database is dropped while the server still reads our goodbye.
    pool.on('error', () => undefined);
    workspace = await aWorkspace(pool);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('ours', now())`);
  });
  afterAll(async () => {
    await services.close();
    await pool.end();
    await database.drop();
  });

  const append = (id: string, ...events: [type: string, data: Record<string, unknown>][]) =>
    services.get(CallEventsService).append(
      { id, owner: 'ours' },
      events.map(([type, data]) => ({ at: new Date(), type, data })),
    );
  const shown = async (id: string) => {
    const call = await services.get(CallsService).findWithResults(workspace.accountId, id);
    return callFlowView(call, call.flow);
  };

  it('grows with each batch of events, keeps the latest values, and is empty without one', async () => {
    const id = await aCall(pool, workspace, { owner: 'ours' });
    await append(id, ['speech_started', { at_ms: 10 }]);
    expect(await shown(id)).toEqual({ values: {}, value_evidence: [], path: [], agents: [] });
    await append(
      id,
      ['step_entered', { at_ms: 100, step: 'identify', from: null, by: 'start' }],
      ['values_collected', { at_ms: 900, step: 'identify', turn: 1, values: { name: 'Ada', reason: 'book' } }],
    );
    await append(
      id,
      ['values_collected', { at_ms: 2_000, step: 'identify', turn: 2, values: { reason: 'cancel' } }],
      ['step_entered', { at_ms: 2_010, step: 'cancel', from: 'identify', by: 'if', exit: 1 }],
      [
        'handed_over',
        { at_ms: 2_500, from_agent_id: 1, to_agent_id: 2, to_agent_name: 'Other', context: 'none', reason: 'Asked.' },
      ],
    );
    const { agents, ...rest } = await shown(id);
    expect(rest).toEqual({
      values: { name: 'Ada', reason: 'cancel' },
      value_evidence: [
        { name: 'name', value: 'Ada', step: 'identify', turn: 1, at_ms: 900 },
        { name: 'reason', value: 'cancel', step: 'identify', turn: 2, at_ms: 2_000 },
      ],
      path: ['identify', 'cancel'],
    });
    expect(agents).toMatchObject([
      { agent_id: workspace.agentId, from_ms: 0, reason: null },
      { agent_id: 2, name: 'Other', from_ms: 2_500, reason: 'Asked.' },
    ]);
  });

  it('is not changed by a dialer that has lost the call', async () => {
    const id = await aCall(pool, workspace, { owner: 'ours' });
    const stepped = [{ at: new Date(), type: 'step_entered', data: { at_ms: 1, step: 'identify' } }];
    expect(await services.get(CallEventsService).append({ id, owner: 'theirs' }, stepped)).toBe(false);
    expect((await shown(id)).path).toEqual([]);
  });
});
