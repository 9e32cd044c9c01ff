import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { AGENTS, AgentsEnvironment } from '../support/agents-environment.js';
import { aCall, aNumber, aToken, type Workspace } from '../support/factories.js';
import type { Service } from '../support/service.js';

let environment: AgentsEnvironment;
let api: Service;
let own: Workspace;
let aName: AgentsEnvironment['aName'];
let send: AgentsEnvironment['send'];
let created: AgentsEnvironment['created'];
let read: AgentsEnvironment['read'];
let versionsOf: AgentsEnvironment['versionsOf'];
let stateOf: AgentsEnvironment['stateOf'];

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ api, own, aName, send, created, read, versionsOf, stateOf } = environment);
});
afterAll(() => environment?.close());

describe('the versions of an agent', () => {
  it('are made by each change of the settings, and by no other change', async () => {
    const id = await created({ greeting: 'One.' });
    await send('patch', `${AGENTS}/${id}`, { greeting: 'Two.' });
    await send('patch', `${AGENTS}/${id}`, { name: aName(), active: false });
    expect(await stateOf(id)).toEqual([
      [2, 'current', 100],
      [1, 'superseded', 0],
    ]);
    const first = await send('get', `${AGENTS}/${id}/versions/1`);
    expect(first.body.data).toMatchObject({
      version: 1,
      created_by: { kind: 'token' },
      settings: { greeting: 'One.' },
    });
    expect((await send('get', `${AGENTS}/${id}/versions/2`)).body.data.settings.greeting).toBe('Two.');
    expect((await send('get', `${AGENTS}/${id}/versions/9`)).status).toBe(404);
  });

  it('begin as drafts that can be changed, deleted and published', async () => {
    const id = await created({ greeting: 'One.', instructions: 'Be kind.' });
    const made = await send('post', `${AGENTS}/${id}/versions`, { greeting: 'Two.', note: 'Try' });
    expect([made.status, made.body.data]).toMatchObject([
      201,
      {
        version: 2,
        state: 'draft',
        note: 'Try',
        published_at: null,
        settings: { greeting: 'Two.', instructions: 'Be kind.' },
      },
    ]);
    expect((await read(id)).greeting).toBe('One.');
    const edited = await send('patch', `${AGENTS}/${id}/versions/2`, { instructions: 'Be brief.' });
    expect(edited.body.data.settings).toMatchObject({ greeting: 'Two.', instructions: 'Be brief.' });
    expect((await send('patch', `${AGENTS}/${id}/versions/1`, { greeting: 'X' })).status).toBe(409);
    expect((await send('delete', `${AGENTS}/${id}/versions/1`)).status).toBe(409);
    await send('post', `${AGENTS}/${id}/versions`, {});
    expect((await send('delete', `${AGENTS}/${id}/versions/3`)).status).toBe(200);
    expect((await send('post', `${AGENTS}/${id}/versions/2/publish`)).status).toBe(200);
    expect(await read(id)).toMatchObject({ greeting: 'Two.', instructions: 'Be brief.', version: 2 });
    expect((await send('post', `${AGENTS}/${id}/versions/2/publish`)).status).toBe(409);
    // Numbers are not used twice.
    expect((await send('patch', `${AGENTS}/${id}`, { greeting: 'Four.' })).body.data.version).toBe(4);
  });

  it('are created once for an Idempotency-Key', async () => {
    const id = await created();
    const key = newId();
    const post = () =>
      api.as(own.token).post(`${AGENTS}/${id}/versions`).set('Idempotency-Key', key).send({ note: 'a' });
    const [first, second] = [await post(), await post()];
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
    expect(await versionsOf(id)).toHaveLength(2);
  });

  it('take a share of the traffic as a canary, until one of them gets everything', async () => {
    const id = await created({ greeting: 'One.' });
    const publish = (version: number, percent?: number) =>
      send(
        'post',
        `${AGENTS}/${id}/versions/${version}/publish`,
        percent === undefined ? {} : { traffic_percent: percent },
      );
    await send('post', `${AGENTS}/${id}/versions`, { greeting: 'Two.' });
    await send('post', `${AGENTS}/${id}/versions`, { greeting: 'Three.' });
    expect((await publish(2, 0)).status).toBe(422);
    expect((await publish(2, 10)).body.data).toMatchObject({ state: 'canary', traffic_percent: 10 });
    expect(await read(id)).toMatchObject({ greeting: 'One.', version: 1, canary: { version: 2, traffic_percent: 10 } });
    await publish(2, 30);
    await publish(3, 20);
    expect(await stateOf(id)).toEqual([
      [3, 'canary', 20],
      [2, 'superseded', 0],
      [1, 'current', 80],
    ]);
    expect((await send('delete', `${AGENTS}/${id}/versions/2/traffic`)).status).toBe(409);
    expect((await send('delete', `${AGENTS}/${id}/versions/3/traffic`)).status).toBe(200);
    expect(await stateOf(id)).toEqual([
      [3, 'superseded', 0],
      [2, 'superseded', 0],
      [1, 'current', 100],
    ]);
    const again = await send('post', `${AGENTS}/${id}/versions`, { from_version: 3 });
    expect(again.body.data.settings.greeting).toBe('Three.');
    await publish(4, 50);
    expect((await publish(4)).body.data).toMatchObject({ state: 'current', traffic_percent: 100 });
    expect(await read(id)).toMatchObject({ greeting: 'Three.', version: 4, canary: null });
  });

  it('end a canary when the current settings change', async () => {
    const id = await created();
    await send('post', `${AGENTS}/${id}/versions`, {});
    await send('post', `${AGENTS}/${id}/versions/2/publish`, { traffic_percent: 50 });
    await send('patch', `${AGENTS}/${id}`, { greeting: 'New.' });
    expect(await stateOf(id)).toEqual([
      [3, 'current', 100],
      [2, 'superseded', 0],
      [1, 'superseded', 0],
    ]);
  });

  it('are restored as new versions, with the stored secrets and without a number that is gone', async () => {
    const numberId = await aNumber(api.pool, own.accountId);
    const headers = [{ key: 'X-A', value: 'hush' }];
    const id = await created({
      greeting: 'One.',
      post_call_webhook: { url: 'https://example.com/', headers },
      call_transfer: { enabled: true, phone_number: '+15550002222', caller_id_number_id: numberId },
    });
    await send('patch', `${AGENTS}/${id}`, { greeting: 'Two.', post_call_webhook: null });
    await api.pool.query('DELETE FROM phone_numbers WHERE id = $1', [numberId]);
    const answer = await send('post', `${AGENTS}/${id}/versions/1/restore`);
    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      { version: 3, state: 'current', note: 'Settings of version 1' },
    ]);
    expect(await read(id)).toMatchObject({
      greeting: 'One.',
      post_call_webhook: { headers: [{ key: 'X-A', value: '********' }] },
      call_transfer: { enabled: true, caller_id_number_id: null },
    });
    expect((await send('post', `${AGENTS}/${id}/versions/3/restore`)).status).toBe(409);
  });

  it('are kept up to a bound, except those of active calls', async () => {
    const id = await created({ greeting: '1' });
    await send('patch', `${AGENTS}/${id}`, { greeting: '2' });
    const inAnHour = new Date(Date.now() + 3_600_000);
    await aCall(api.pool, { ...own, agentId: id }, { agent_version: 1, due_at: inAnHour });
    await api.pool.query(
      `INSERT INTO agent_versions (account_id, agent_id, version, state, settings)
       SELECT $1, $2, n, 'superseded', '{}' FROM generate_series(3, 110) n`,
      [own.accountId, id],
    );
    await api.pool.query('UPDATE agents SET last_version = 110 WHERE id = $1', [id]);
    await send('patch', `${AGENTS}/${id}`, { greeting: '3' });
    const { rows } = await api.pool.query<{ version: number }>(
      `SELECT version FROM agent_versions WHERE agent_id = $1 AND state = 'superseded' ORDER BY version`,
      [id],
    );
    expect([rows.length, rows[0]?.version, rows[1]?.version]).toEqual([101, 1, 11]);
  });

  it('need the scope agents:write to be changed', async () => {
    const token = await aToken(api.pool, own.accountId, ['agents:read']);
    expect((await api.as(token).get(`${AGENTS}/${own.agentId}/versions`)).status).toBe(200);
    expect((await api.as(token).post(`${AGENTS}/${own.agentId}/versions`).send({})).status).toBe(403);
  });
});

describe('required scenarios', () => {
  const greets = (words: string) => ({
    name: 'greeting.yaml',
    scenario: { steps: [{ name: 'greeting', expects: words }] },
  });

  it('keep settings from being published that fail them, however they are published', async () => {
    const id = await created({ greeting: 'Hello, this is ACME.', scenarios: [greets('ACME')] });
    await send('post', `${AGENTS}/${id}/versions`, { greeting: 'Good day.' });
    expect((await send('patch', `${AGENTS}/${id}`, { publish_requires: ['greeting.yaml'] })).body.data.version).toBe(1);
    const before = await stateOf(id);
    for (const answer of [
      await send('patch', `${AGENTS}/${id}`, { greeting: 'Good day.' }),
      await send('post', `${AGENTS}/${id}/versions/2/publish`),
      await send('post', `${AGENTS}/${id}/versions/2/publish`, { traffic_percent: 5 }),
    ]) {
      expect(answer.status).toBe(422);
      const failure = expect.stringMatching(/^The scenario greeting\.yaml failed in step 1 \(greeting\): /);
      expect(answer.body.errors).toEqual({ publish_requires: [failure] });
    }
    expect(await stateOf(id)).toEqual(before);
    const passing = await send('patch', `${AGENTS}/${id}`, { greeting: 'Good day from ACME.' });
    expect([passing.status, passing.body.data.version]).toEqual([200, 3]);
  });

  it('are played with the settings that are published, and for restored ones too', async () => {
    const id = await created({ greeting: 'One.', scenarios: [greets('Two')] });
    const answer = await send('patch', `${AGENTS}/${id}`, { greeting: 'Two.', publish_requires: ['greeting.yaml'] });
    expect([answer.status, answer.body.data?.version]).toEqual([200, 2]);
    expect((await send('post', `${AGENTS}/${id}/versions/1/restore`)).status).toBe(422);
    const both = { greeting: 'Three.', scenarios: [greets('Three')] };
    expect((await send('patch', `${AGENTS}/${id}`, both)).body.data.version).toBe(3);
    const removed = await send('patch', `${AGENTS}/${id}`, { scenarios: [] });
    expect([removed.status, Object.keys(removed.body.errors as object)]).toEqual([422, ['publish_requires.0']]);
  });
});

describe('bin/trunkline apply', () => {
  it('publishes settings of an agent only if its required scenario files pass, and names the line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-versions-'));
    const [account, path] = [`gated-${newId()}`, join(folder, 'workspace.yaml')];
    const apply = async (greeting: string): Promise<string> => {
      const agent = { name: 'Gated', greeting, publish_requires: ['greeting.yaml'] };
      await writeFile(path, JSON.stringify({ accounts: [{ name: account, agents: [agent] }] }, null, 2));
      return api.command(['apply', '-f', path]);
    };
    await writeFile(join(folder, 'greeting.yaml'), 'steps: [{ name: greeting, expects: ACME }]');
    const [, accountId] = /account \S+: id (\d+), created/.exec(await apply('Hello, this is ACME.')) ?? [];
    await expect(apply('Good day.')).rejects.toThrow(
      /workspace\.yaml:\d+: .*publish_requires The scenario greeting\.yaml failed in step 1/,
    );
    const { body } = await api.as(await aToken(api.pool, Number(accountId))).get(AGENTS);
    expect(body.data).toMatchObject([{ name: 'Gated', greeting: 'Hello, this is ACME.', version: 1 }]);
    await rm(folder, { recursive: true });
  });
});
