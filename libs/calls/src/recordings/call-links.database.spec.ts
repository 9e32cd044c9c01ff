import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@app/common';
import { openStorage, Storage, StorageUnavailable } from '@app/storage';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';

const BODY_LIMIT = 256 * 1024;

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const me = () => api.as(own.token);

interface Turn {
  role: string;
  text: string;
  started_ms: number;
  ended_ms: number;
  truncated: boolean;
}

/** Written when they end: each second one began before the one that was written before it. */
const turnsWritten = (count: number): Turn[] =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 ? 'caller' : 'agent',
    text: `${n} "${'é'.repeat(500)}"`,
    started_ms: (n % 2 ? n - 1.5 : n) * 1_000,
    ended_ms: (n + 1) * 1_000,
    truncated: n % 7 === 0,
  }));

const inOrder = (turns: Turn[]): Turn[] => turns.toSorted((a, b) => a.started_ms - b.started_ms);

interface EndedCall {
  id: string;
  body: string;
  data: Record<string, unknown> & { transcript: Turn[]; transcript_url: string | null };
}

/** A call with these turns among its events, ended by the service; with what its post-call webhook tells. */
async function endedCall(turns: Turn[]): Promise<EndedCall> {
  const id = await aCall(api.pool, own, {
    event_seq: 2 * turns.length,
    settings: { post_call_webhook: { url: 'http://127.0.0.1:9/', method: 'POST' } },
  });
  await api.pool.query(
    `INSERT INTO call_events (call_id, seq, type, data)
     SELECT $1::uuid, 2 * n - 1, 'turn', turn FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS t (turn, n)
     UNION ALL SELECT $1::uuid, 2 * n, 'turn_started', '{}' FROM generate_series(1, $3::integer) n`,
    [id, JSON.stringify(turns.map((turn, n) => ({ ...turn, turn: n + 1, at_ms: turn.ended_ms }))), turns.length],
  );
  expect((await me().post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
  const { rows } = await api.pool.query<{ body: string }>(
    `SELECT body FROM webhook_deliveries WHERE call_id = $1 AND type = 'post-call'`,
    [id],
  );
  const body = rows[0]?.body ?? '';
  return { id, body, data: JSON.parse(body).data };
}

function pathOf(url: unknown): string {
  const { origin, pathname, search } = new URL(String(url));
  expect(origin).toBe('http://localhost:3000');
  return pathname + search;
}

/** How many chunks of transcripts the service reads during `work`; each waits for `before`. */
async function chunksRead(work: () => Promise<void>, before: (nth: number) => unknown = () => undefined) {
  const query = api.pool.query.bind(api.pool) as (...all: unknown[]) => unknown;
  let chunks = 0;
  const counting = (...all: unknown[]): unknown => {
    if ((all[0] as { name?: string }).name !== 'chunk-of-turns') return query(...all);
    chunks += 1;
    return Promise.resolve(before(chunks)).then(() => query(...all));
  };
  const spy = jest.spyOn(api.pool, 'query').mockImplementation(counting);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return chunks;
}

const NONE = { message: 'Transcript not found.' };

describe('a transcript that is too long for the post-call webhook', () => {
  const turns = turnsWritten(1_050);
  let call: EndedCall;
  let path: string;

  beforeAll(async () => {
    call = await endedCall(turns);
    path = pathOf(call.data.transcript_url);
  });

  it('is truncated in the webhook, which has a link for seven days', () => {
    expect(Buffer.byteLength(call.body)).toBeLessThanOrEqual(BODY_LIMIT);
    expect(call.data).toMatchObject({ transcript_truncated: true });
    expect(call.data.transcript.length).toBeGreaterThan(100);
    expect(call.data.transcript).toEqual(inOrder(turns).slice(0, call.data.transcript.length));
    const days = (Number(new URLSearchParams(path.split('?')[1]).get('expires')) * 1_000 - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
  });

  it('is complete at the link, which needs no token', async () => {
    const answer = await api.as().get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${call.id}.json"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.body).toEqual({ data: { call_id: call.id, complete: true, turns: inOrder(turns) } });
    expect(Buffer.byteLength(answer.text)).toBeGreaterThan(1024 * 1024);
  });

  it('is returned equally with a token of its account', async () => {
    const byLink = await api.as().get(path);
    const answer = await me().get(`/api/v1/calls/${call.id}/transcript`);
    expect([answer.status, answer.text]).toEqual([200, byLink.text]);
    const stranger = await aWorkspace(api.pool);
    const theirs = await api.as(stranger.token).get(`/api/v1/calls/${call.id}/transcript`);
    expect([theirs.status, theirs.body]).toEqual([404, { message: 'Call not found.' }]);
  });

  it('contains the finished turns during the call and is empty before the answer', async () => {
    const id = await aCall(api.pool, own);
    const read = async () => (await me().get(`/api/v1/calls/${id}/transcript`)).body;
    expect(await read()).toEqual({ data: { call_id: id, complete: false, turns: [] } });
    const [turn] = turnsWritten(1);
    await api.pool.query(`UPDATE calls SET status = 'in_progress', answered_at = now(), event_seq = 1 WHERE id = $1`, [
      id,
    ]);
    await api.pool.query(`INSERT INTO call_events (call_id, seq, type, data) VALUES ($1, 1, 'turn', $2)`, [id, turn]);
    expect(await read()).toEqual({ data: { call_id: id, complete: false, turns: [turn] } });
  });

  it('supports HEAD', async () => {
    const { status, headers } = await api.as().head(path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('is read in chunks', async () => {
    expect(await chunksRead(async () => void (await api.as().get(path)))).toBe(11);
  });

  it('is not read further after the client has disconnected', async () => {
    const { port } = api.server.address() as AddressInfo;
    const closed = new Promise<void>((resolve) => {
      api.server.once('request', (_request, response: ServerResponse) => response.once('close', resolve));
    });
    const ask = async () => {
      const client = connect(port, '127.0.0.1', () => client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
      client.once('data', () => client.destroy());
      await closed;
      expect((await api.as().head(path)).status).toBe(200);
    };
    expect(await chunksRead(ask, () => closed)).toBe(1);
  });

  it('is 404 with a link that was modified, has expired, or belongs to another call or a recording', async () => {
    const other = await endedCall(turnsWritten(1));
    const recording = await recordingLink();
    const [base = '', query = ''] = path.split('?');
    const paths = [
      base,
      path.replace(/expires=\d+/, 'expires=1'),
      path.replace(/expires=(\d+)/, (_all, at: string) => `expires=${Number(at) + 1}`),
      `${path}x`,
      path.replace(call.id, other.id),
      path.replace(call.id, newId()),
      path.replace(call.id, 'nonsense'),
      recording.replace('/recordings/', '/transcripts/'),
      `${base}?expires=9999999999&signature=a&signature=b`,
      `${base}?${query.replace('signature=', 'signature[]=')}`,
    ];
    for (const changed of paths) {
      const { status, body } = await api.as().get(changed);
      expect([changed, status, body]).toEqual([changed, 404, NONE]);
    }
    expect((await api.as().get(path.replace('/transcripts/', '/recordings/'))).status).toBe(404);
  });

  async function recordingLink(): Promise<string> {
    await api.pool.query(`UPDATE calls SET recording_key = 'k' WHERE id = $1`, [call.id]);
    const { body } = await me().get(`/api/v1/calls/${call.id}`);
    await api.pool.query('UPDATE calls SET recording_key = NULL WHERE id = $1', [call.id]);
    return pathOf(body.data.recording_url);
  }

  it('is aborted when it is deleted during the download', async () => {
    const doomed = await endedCall(turns);
    const forget = () => api.pool.query('DELETE FROM call_events WHERE call_id = $1', [doomed.id]);
    const ask = async () => {
      await expect(api.as().get(pathOf(doomed.data.transcript_url))).rejects.toThrow('aborted');
    };
    expect(await chunksRead(ask, (nth) => (nth === 3 ? forget() : undefined))).toBe(3);
  });

  it('is 404 after its retention', async () => {
    const old = await endedCall(turns);
    await api.pool.query('UPDATE calls SET transcript_deleted_at = now() WHERE id = $1', [old.id]);
    const { status, body } = await api.as().get(pathOf(old.data.transcript_url));
    expect([status, body]).toEqual([404, NONE]);
    const byToken = await me().get(`/api/v1/calls/${old.id}/transcript`);
    expect([byToken.status, byToken.body]).toEqual([404, NONE]);
  });

  it('is 404 after its call was deleted', async () => {
    expect((await me().delete(`/api/v1/calls/${call.id}`)).status).toBe(200);
    const { status, body } = await api.as().get(path);
    expect([status, body]).toEqual([404, NONE]);
  });
});

it('a transcript that fits has no link', async () => {
  const { data } = await endedCall(turnsWritten(3));
  expect(data).toMatchObject({ transcript: inOrder(turnsWritten(3)), transcript_url: null });
  expect(data).not.toHaveProperty('transcript_truncated');
});

/** A completed call whose recording is a file with this content. */
async function recordedCall(content: string): Promise<string> {
  const id = newId();
  const key = `recordings/${own.accountId}/${id}.wav`;
  const local = join(api.home, `${id}.tmp`);
  await writeFile(local, content);
  await openStorage({ TRUNKLINE_HOME: api.home }).put(key, local);
  const times = { started_at: new Date(), answered_at: new Date(), ended_at: new Date() };
  const recording = { recording_key: key, recording_bytes: content.length };
  return aCall(api.pool, own, { id, status: 'completed', ...recording, ...times });
}

const recordingPath = async (callId: string): Promise<string> =>
  pathOf((await me().get(`/api/v1/calls/${callId}`)).body.data.recording_url);

describe('a recording', () => {
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
