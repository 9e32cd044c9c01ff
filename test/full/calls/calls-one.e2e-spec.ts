import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CallProgressService, DialersService } from '@app/calls';
import { newId } from '@app/common';
import { openStorage, Storage, StorageUnavailable } from '@app/storage';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InProcessApi } from '../../support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  foreign = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const me = () => api.as(own.token);

/** A completed call whose recording is a file with this content. */
async function recordedCall(content: string): Promise<string> {
  const id = newId();
  const key = `recordings/${own.accountId}/${id}.wav`;
  const local = join(api.home, `${id}.tmp`);
  await writeFile(local, content);
  await openStorage({ TRUNKLINE_HOME: api.home }).put(key, local);
  const times = { started_at: new Date(), answered_at: new Date(), ended_at: new Date() };
  return aCall(api.pool, own, {
    id,
    status: 'completed',
    recording_key: key,
    recording_bytes: content.length,
    ...times,
  });
}

async function recordingPath(callId: string): Promise<string> {
  const { body } = await me().get(`/api/v1/calls/${callId}`);
  const url = new URL(body.data.recording_url);
  expect(url.origin).toBe('http://localhost:3000');
  return url.pathname + url.search;
}

describe('the end of a call', () => {
  it('is stored although the summary contains invalid characters', async () => {
    const owner = newId();
    await api.app.get(DialersService).register(owner);
    const id = await aCall(api.pool, own, {
      status: 'in_progress',
      owner,
      started_at: new Date(),
      answered_at: new Date(),
    });
    const ending = { change: 'completed', at: new Date(), cause: 'agent_hangup', endedBy: 'agent' } as const;
    const progress = api.app.get(CallProgressService);
    await progress.finish({ id, owner }, { ...ending, summary: 'Tea\0 for \ud800two.' });
    const { body } = await me().get(`/api/v1/calls/${id}`);
    expect(body.data).toMatchObject({ status: 'completed', summary: 'Tea\ufffd for \ufffdtwo.' });
  });
});

describe('retrieving a call', () => {
  it('returns the whole object', async () => {
    const id = await aCall(api.pool, own, {
      status: 'completed',
      created_at: '2026-01-02T03:04:05.678Z',
      started_at: '2026-01-02T03:04:06Z',
      answered_at: '2026-01-02T03:04:08Z',
      answered_by: 'human',
      ended_at: '2026-01-02T03:04:53Z',
      cost_micros: 12_345,
      realtime_cost_micros: 2_000,
      hangup_cause: 'normal_clearing',
      ended_by: 'callee',
      sip_code: 200,
      trunk_id: own.trunkId,
      metadata: { a: 1 },
      summary: 'They talked.',
    });
    await api.pool.query(
      `INSERT INTO call_usage (call_id, line, kind, description, quantity, unit, unit_price_micros, amount_micros, price_book)
        VALUES ($1, 2, 'tool_calls', 'Tools, calls', 2, 'call', 1000, 2000, 'p'),
          ($1, 1, 'carrier_seconds', 'Carrier, seconds from the answer', 45.5, 'second', 50, 2275, 'p')`,
      [id],
    );
    const { status, body } = await me().get(`/api/v1/calls/${id}`);
    expect(status).toBe(200);
    // openapi.e2e-spec.ts compares the names of the fields with the document.
    expect(body).toMatchObject({
      data: {
        call_id: id,
        status: 'completed',
        to_number: 'sip:answer@127.0.0.1:5070',
        from_number: '+15550001111',
        agent: 'Receptionist',
        duration_seconds: 45,
        duration_minutes: 0.75,
        cost: 0.012345,
        realtime_cost: 0.002,
        started_at: '2026-01-02T03:04:06.000+00:00',
        answered_at: '2026-01-02T03:04:08.000+00:00',
        answered_by: 'human',
        ended_at: '2026-01-02T03:04:53.000+00:00',
        recording_url: null,
        recording_deleted_at: null,
        transcript_deleted_at: null,
        hangup_cause: 'normal_clearing',
        direction: 'outbound',
        agent_id: own.agentId,
        number_id: own.numberId,
        trunk_id: own.trunkId,
        metadata: { a: 1 },
        created_at: '2026-01-02T03:04:05.678+00:00',
        sip_code: 200,
        ended_by: 'callee',
        transfers: [],
        summary: 'They talked.',
        costs: [
          {
            kind: 'carrier_seconds',
            description: 'Carrier, seconds from the answer',
            quantity: 45.5,
            unit: 'second',
            unit_price: 0.00005,
            amount: 0.002275,
          },
          {
            kind: 'tool_calls',
            description: 'Tools, calls',
            quantity: 2,
            unit: 'call',
            unit_price: 0.001,
            amount: 0.002,
          },
        ],
      },
    });
  });

  it('returns no summary and no costs for an unanswered call', async () => {
    const id = await aCall(api.pool, own, { status: 'busy' });
    const { body } = await me().get(`/api/v1/calls/${id}`);
    expect(body.data).toMatchObject({ summary: null, costs: [], cost: null });
  });
});

describe("another account's call, an unknown one and a malformed id", () => {
  it.each([
    ['get', ''],
    ['delete', ''],
    ['post', '/cancel'],
  ] as const)('are the same 404 to %s %s', async (method, path) => {
    const theirs = await aCall(api.pool, foreign, { status: 'completed' });
    const answers = [];
    for (const id of [theirs, newId(), 'nonsense', '1', `${theirs}x`, '%zz', "'%20OR%20''='"]) {
      answers.push(await me()[method](`/api/v1/calls/${id}${path}`));
    }
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 404));
    expect(new Set(answers.slice(0, 5).map((answer) => answer.text))).toEqual(
      new Set(['{"message":"Call not found."}']),
    );
    expect((await api.as(foreign.token).get(`/api/v1/calls/${theirs}`)).status).toBe(200);
  });
});

describe('deleting a call', () => {
  it.each(['completed', 'failed', 'busy', 'no_answer', 'cancelled'])('that is %s', async (status) => {
    const id = await aCall(api.pool, own, { status });
    const first = await me().delete(`/api/v1/calls/${id}`);
    expect([first.status, first.body]).toEqual([200, { message: 'Call deleted successfully.' }]);
    expect((await me().delete(`/api/v1/calls/${id}`)).status).toBe(404);
    expect((await me().get(`/api/v1/calls/${id}`)).status).toBe(404);
  });

  it.each(['pending', 'ringing', 'in_progress'])('that is %s is rejected', async (status) => {
    const id = await aCall(api.pool, own, { status });
    const answer = await me().delete(`/api/v1/calls/${id}`);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      message: 'An active call cannot be deleted. Wait for it to complete or fail, or cancel it.',
    });
    expect((await me().get(`/api/v1/calls/${id}`)).status).toBe(200);
  });

  it('deletes its events and its recording', async () => {
    const id = await recordedCall('RIFF');
    await api.pool.query(`INSERT INTO call_events (call_id, seq, type) VALUES ($1, 1, 'turn')`, [id]);
    const path = await recordingPath(id);
    expect((await me().delete(`/api/v1/calls/${id}`)).status).toBe(200);
    const left = await api.pool.query('SELECT 1 FROM call_events WHERE call_id = $1', [id]);
    expect(left.rowCount).toBe(0);
    expect(
      await openStorage({ TRUNKLINE_HOME: api.home }).size(`recordings/${own.accountId}/${id}.wav`),
    ).toBeUndefined();
    expect((await api.as().get(path)).status).toBe(404);
  });
});

describe('cancelling a call', () => {
  it('that is queued ends it and sends its webhooks', async () => {
    const created = await me().post('/api/v1/calls').send({
      to_number: 'sip:a@127.0.0.1',
      agent_id: own.agentId,
      number_id: own.numberId,
      call_status_webhook_url: 'http://127.0.0.1:9/s',
      post_call_webhook_url: 'http://127.0.0.1:9/p',
    });
    const id: string = created.body.data.call_id;
    const { status, body } = await me().post(`/api/v1/calls/${id}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ message: expect.any(String), data: { call_id: id, status: 'cancelled', cost: null } });
    const sent = await api.pool.query('SELECT event FROM webhook_deliveries WHERE call_id = $1 ORDER BY sequence', [
      id,
    ]);
    expect(sent.rows).toEqual([{ event: 'initiated' }, { event: 'cancelled' }, { event: 'ended' }]);
  });

  it('that a dialer handles stores the request for the dialer', async () => {
    await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d1', now() + interval '1 hour')`);
    const id = await aCall(api.pool, own, { status: 'ringing', owner: 'd1', started_at: new Date() });
    const { status, body } = await me().post(`/api/v1/calls/${id}/cancel`);
    expect([status, body.data.status]).toEqual([200, 'ringing']);
    const row = await api.pool.query('SELECT cancel_requested_at FROM calls WHERE id = $1', [id]);
    expect(row.rows[0]).toEqual({ cancel_requested_at: expect.any(Date) });
  });

  it.each(['completed', 'failed', 'cancelled'])('that is %s is rejected', async (status) => {
    const id = await aCall(api.pool, own, { status });
    const answer = await me().post(`/api/v1/calls/${id}/cancel`);
    expect([answer.status, Object.keys(answer.body)]).toEqual([409, ['message']]);
  });
});

describe('a recording', () => {
  it('is downloaded without a token', async () => {
    const id = await recordedCall('0123456789');
    const answer = await api
      .as()
      .get(await recordingPath(id))
      .buffer();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${id}.wav"`,
      'cache-control': 'private, no-store',
    });
    expect(answer.body.toString()).toBe('0123456789');
  });

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
  ])('is downloaded in part: %s', async (range, status, text, contentRange) => {
    const path = await recordingPath(await recordedCall('0123456789'));
    const answer = await api.as().get(path).set('Range', range).buffer();
    expect([answer.status, answer.body.toString().replace('[object Object]', '')]).toEqual([status, text]);
    expect(answer.headers['content-range']).toBe(contentRange);
  });

  it('supports HEAD', async () => {
    const answer = await api.as().head(await recordingPath(await recordedCall('0123456789')));
    expect([answer.status, answer.headers['content-length']]).toEqual([200, '10']);
  });

  it('is 404 with a link that was modified, has expired or belongs to another call', async () => {
    const [id, other] = [await recordedCall('a'), await recordedCall('b')];
    const path = await recordingPath(id);
    const [base = '', query = ''] = path.split('?');
    const paths = [
      base,
      path.replace(/expires=\d+/, 'expires=1'),
      path.replace(/expires=(\d+)/, (_all, at: string) => `expires=${Number(at) + 1}`),
      `${path}x`,
      path.replace(id, other),
      path.replace(id, newId()),
      path.replace(id, 'nonsense'),
      `${base}?expires=9999999999&signature=a&signature=b`,
      `${base}?${query.replace('signature=', 'signature[]=')}`,
    ];
    for (const changed of paths) {
      const { status, body } = await api.as().get(changed);
      expect([changed, status, body]).toEqual([changed, 404, { message: 'Recording not found.' }]);
    }
  });

  it.each([
    ['is deleted', () => Promise.resolve(undefined), 404],
    ['cannot be read', () => Promise.reject(new StorageUnavailable('S3 says 500')), 503],
  ])('that %s during the request returns a regular response', async (_what, open, status) => {
    const path = await recordingPath(await recordedCall('0123456789'));
    const opened = jest.spyOn(api.app.get(Storage), 'open').mockImplementationOnce(open);
    const answer = await api.as().get(path).set('Range', 'bytes=2-4');
    expect(opened).toHaveBeenCalledTimes(1);
    opened.mockRestore();
    expect([answer.status, answer.body]).toEqual([status, { message: expect.any(String) }]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    for (const name of ['content-disposition', 'content-range', 'accept-ranges'])
      expect(answer.headers).not.toHaveProperty(name);
  });

  it('is 404 when the file was deleted', async () => {
    const id = await recordedCall('a');
    const path = await recordingPath(id);
    await openStorage({ TRUNKLINE_HOME: api.home }).delete(`recordings/${own.accountId}/${id}.wav`);
    expect((await api.as().get(path)).status).toBe(404);
  });
});
