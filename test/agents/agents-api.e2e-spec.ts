import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { AGENTS, AgentsEnvironment } from '../support/agents-environment.js';
import { eventually } from '../support/eventually.js';
import { aCall, aNumber, type Workspace } from '../support/factories.js';
import type { Service } from '../support/service.js';

let environment: AgentsEnvironment;
let api: Service;
let own: Workspace;
let other: Workspace;
let aName: AgentsEnvironment['aName'];
let send: AgentsEnvironment['send'];
let created: AgentsEnvironment['created'];
let read: AgentsEnvironment['read'];
let stateOf: AgentsEnvironment['stateOf'];

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ api, own, aName, send, created, read, stateOf } = environment);
  other = await api.account();
});
afterAll(() => environment?.close());

/** A call of this time stays in the queue. */
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

const auditOf = async (id: number): Promise<[string, unknown][]> => {
  const text = `SELECT action, details FROM audit_events WHERE account_id = $1
    AND (subject_kind = 'agent' AND subject_id = $2 OR details ->> 'agent_id' = $2) ORDER BY id`;
  const { rows } = await api.pool.query<{ action: string; details: object }>(text, [own.accountId, String(id)]);
  return rows.map(({ action, details }) => [action, details]);
};

describe('an agent', () => {
  it('is created with every setting, read, and written back as it was read', async () => {
    const settings = {
      provider: 'openai-realtime',
      model: 'gpt-realtime-2.1',
      voice: 'marin',
      transcription_model: 'whisper',
      turn_detection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_ms: 500 },
      pipeline: null,
      fallbacks: [{ provider: 'sandbox' }],
      script: { rules: [] },
      instructions: 'You answer for ACME.',
      greeting: 'Hello {{customer}}.',
      variables: [{ name: 'customer', required: false, default: 'there', max_length: 40, description: 'A name.' }],
      timezone: 'Europe/Berlin',
      active: false,
      max_call_seconds: 120,
      ring_timeout_seconds: 20,
      post_call_webhook: { url: 'https://example.com/a', method: 'PUT', headers: [{ key: 'X-A', value: 's3cret' }] },
      call_status_webhook: { url: 'https://example.com/b', method: 'POST', headers: [] },
      pre_call_webhook: { url: 'https://example.com/c', method: 'POST', headers: [], on_error: 'skip' },
      call_transfer: {
        ...{ enabled: true, phone_number: '+15550002222', caller_id_number_id: own.numberId },
        ...{ mode: 'warm', briefing: 'own_words', accept_prompt: 'Shall I?', accept_timeout_seconds: 20 },
        destinations: [
          {
            ...{ name: 'support', to_number: 'sip:desk@pbx.example.com', description: 'Help', extension: ',204#' },
            ...{ headers: { 'X-Id': 'id' }, uui: 'ticket', ring_timeout_seconds: 20 },
          },
        ],
      },
      do_not_call_tool: true,
      redaction: { kinds: ['card' as const], custom: [{ name: 'member', pattern: 'M-[0-9]+' }], audio: false },
      pause_recording_tool: true,
      guardrails: [
        { name: 'no_guarantees', on: 'agent', pattern: 'guarantee', action: 'replace', text: 'I cannot promise that.' },
      ],
      disclosure: [{ language: 'en', prefix: '+1', text: 'I am a virtual assistant of ACME.' }],
      digit_inputs: [
        {
          ...{ name: 'pin', prompt: 'Please enter your PIN.', min_length: 4, max_length: 4, finish_key: '#' },
          ...{ timeout_seconds: 10, attempts: 2, secure: true },
        },
      ],
      recording_consent: {
        ...{ mode: 'ask', message: 'May we record this call?', prefixes: ['+49'], accept_keys: '1' },
        on_refusal: 'hang_up',
      },
      answering_machine: { detect: true, on_machine: 'leave_message', message: 'Call us.', wait_for_beep_seconds: 20 },
      conversation: {
        idle: { after_seconds: 8 },
        barge_in: { guard_ms: 5 },
        phrases: { idle: 'Still?' },
        language: 'de',
      },
      scenarios: [{ name: 'a.yaml', scenario: { steps: [{ expects: 'Hello' }] } }],
      publish_requires: [],
    };
    const id = await created({ name: 'Complete', ...settings });
    const view = await read(id);
    const masked = { ...settings.post_call_webhook, headers: [{ key: 'X-A', value: '********' }] };
    expect(view).toEqual({
      ...settings,
      analysis: null,
      flow: null,
      handoffs: [],
      id,
      name: 'Complete',
      post_call_webhook: masked,
      version: 1,
      canary: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const written = await send('put', `${AGENTS}/${id}`, view);
    expect([written.status, written.body.message]).toEqual([200, 'Agent updated successfully.']);
    expect(await read(id)).toEqual(view);
    expect(await stateOf(id)).toEqual([[1, 'current', 100]]);
    const stored = await api.pool.query<{ text: string }>(
      'SELECT to_jsonb(a)::text AS text FROM agents a WHERE id = $1',
      [id],
    );
    expect(stored.rows[0]?.text).not.toContain('s3cret');
  });

  it('reports each invalid field by its path', async () => {
    const answer = await send('post', AGENTS, {
      provider: 'nobody',
      max_call_seconds: 0,
      call_transfer: { phone_number: '12' },
      turn_detection: { type: 'semantic_vad', threshold: 0.5 },
      conversation: { phrases: { idle: '' } },
      call_status_webhook: { url: 'https://example.com', headers: [{ key: 'Host', value: 'x' }] },
      script: 'a/path.yaml',
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({
      name: ['The name field is required.'],
      provider: ['The provider field must be one of sandbox, openai-realtime, openai-live, gemini-live, pipeline.'],
      max_call_seconds: ['The max call seconds field must be a whole number from 1 to 14400.'],
      'call_transfer.phone_number': [expect.stringContaining('must be an E.164 number')],
      'turn_detection.threshold': [expect.stringContaining('is not supported by semantic_vad')],
      'conversation.phrases.idle': [expect.stringContaining('must not be empty')],
      'call_status_webhook.headers': ['The header Host is set by the service.'],
      script: ['The script field must be an object.'],
    });
  });

  it.each([
    ['a webhook inside the network', { call_status_webhook: { url: 'http://10.0.0.1/' } }, 'call_status_webhook.url'],
    ['an unusable script', { script: { rules: [{ on: 5 }] } }, 'script'],
    ['an unusable scenario', { scenarios: [{ name: 'a', scenario: { steps: [] } }] }, 'scenarios.0.scenario.steps'],
    ['an unknown required scenario', { publish_requires: ['b.yaml'] }, 'publish_requires.0'],
    [
      'a phone number that does not exist',
      { call_transfer: { caller_id_number_id: 2_000_000_000 } },
      'call_transfer.caller_id_number_id',
    ],
    [
      'a mask without a stored value',
      { call_status_webhook: { url: 'https://example.com', headers: [{ key: 'X-A', value: '********' }] } },
      'call_status_webhook.headers.0.value',
    ],
  ])('is not created with %s', async (_what, fields, field) => {
    const answer = await send('post', AGENTS, { name: aName(), ...fields });
    expect([answer.status, Object.keys((answer.body.errors ?? {}) as object)]).toEqual([422, [field]]);
  });

  it('has a name that is unique in the account', async () => {
    const name = aName();
    await created({ name });
    const id = await created();
    for (const answer of [await send('post', AGENTS, { name }), await send('patch', `${AGENTS}/${id}`, { name })])
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { name: [`The account has another agent named ${name}.`] },
      ]);
    expect((await api.as(other.token).post(AGENTS).send({ name })).status).toBe(201);
  });

  it('is created once for an Idempotency-Key', async () => {
    const key = newId();
    const body = {
      name: aName(),
      call_status_webhook: { url: 'https://example.com/', headers: [{ key: 'X-A', value: 'hush' }] },
    };
    const post = () => api.as(own.token).post(AGENTS).set('Idempotency-Key', key).send(body);
    const [first, second] = [await post(), await post()];
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
    const another = await api.as(own.token).post(AGENTS).set('Idempotency-Key', key).send({ name: aName() });
    expect(another.status).toBe(409);
  });

  it('ignores unknown fields at any depth and names them in a header', async () => {
    const answer = await send('post', AGENTS, {
      name: aName(),
      colour: 1,
      call_transfer: { enabled: false, loud: true },
    });
    expect([answer.status, answer.headers['trunkline-ignored-fields']?.split(', ').toSorted()]).toEqual([
      201,
      ['call_transfer.loud', 'colour'],
    ]);
  });

  it('keeps the secrets of its webhooks at their origin', async () => {
    const headers = [{ key: 'X-A', value: 'hush' }];
    const id = await created({ post_call_webhook: { url: 'https://example.com/a', headers } });
    const masked = [{ key: 'x-a', value: '********' }];
    const moved = await send('patch', `${AGENTS}/${id}`, {
      post_call_webhook: { url: 'https://evil.example/a', headers: masked },
    });
    expect([moved.status, Object.keys(moved.body.errors as object)]).toEqual([
      422,
      ['post_call_webhook.headers.0.value'],
    ]);
    const draft = await send('post', `${AGENTS}/${id}/versions`, {
      post_call_webhook: { url: 'https://evil.example/a', headers: masked },
    });
    expect(draft.status).toBe(422);
    const path = await send('patch', `${AGENTS}/${id}`, {
      post_call_webhook: { url: 'https://example.com/b', headers: masked },
    });
    expect([path.status, path.body.data.version]).toEqual([200, 2]);
  });

  it('changes only the given fields; audit events name them', async () => {
    const id = await created({ greeting: 'Hi.', model: 'm', conversation: { language: 'de' } });
    const answer = await send('patch', `${AGENTS}/${id}`, { greeting: 'Hello.', model: null, active: false });
    expect(answer.body.data).toMatchObject({
      greeting: 'Hello.',
      model: null,
      active: false,
      conversation: { language: 'de' },
    });
    await send('patch', `${AGENTS}/${id}`, { greeting: 'Hello.' });
    const events = await auditOf(id);
    expect(events.map(([action]) => action)).toEqual(['agent.created', 'agent.updated']);
    expect(events[1]?.[1]).toMatchObject({
      changed: expect.arrayContaining(['greeting', 'provider_options', 'active']),
    });
  });
});

describe('the deletion of an agent', () => {
  it('is refused while a call is queued or live, and leaves past calls with its name', async () => {
    const id = await created({ name: 'Leaver' });
    const place = { accountId: own.accountId, agentId: id, numberId: own.numberId };
    const call = await aCall(api.pool, place, { agent_name: 'Leaver', due_at: inAnHour() });
    const number = await aNumber(api.pool, own.accountId, { agent_id: id, name: 'Main', e164: '+15559990001' });
    const tool = await send('post', `${AGENTS}/${id}/tools`, { name: 'ask', description: 'Asks.' });
    const base = await send('post', `${AGENTS}/${id}/knowledge-bases`, {
      title: 'a',
      source_type: 'text',
      content: 'b',
    });
    expect([tool.status, base.status]).toEqual([201, 201]);
    expect((await send('delete', `${AGENTS}/${id}`)).status).toBe(409);
    expect((await read(id)).active).toBe(true);
    await api.pool.query(`UPDATE calls SET status = 'completed', ended_at = now() WHERE id = $1`, [call]);
    const deleted = await send('delete', `${AGENTS}/${id}`);
    const message = 'Calls to +15559990001 (Main) are not answered any more: the number has no agent.';
    expect([deleted.status, deleted.body]).toEqual([
      200,
      {
        message: 'Agent deleted successfully.',
        warnings: [{ code: 'number_without_agent', field: `numbers.${number}`, message }],
      },
    ]);
    expect((await send('get', `/api/v1/calls/${call}`)).body.data).toMatchObject({ agent: 'Leaver', agent_id: id });
    expect((await send('get', `${AGENTS}/${id}`)).status).toBe(404);
    expect((await send('get', `${AGENTS}/${id}/versions`)).status).toBe(404);
    const left = await api.pool.query(
      `SELECT 1 FROM tools WHERE agent_id = $1 UNION ALL SELECT 1 FROM knowledge_bases WHERE agent_id = $1
       UNION ALL SELECT 1 FROM phone_numbers WHERE agent_id = $1 UNION ALL SELECT 1 FROM agent_versions WHERE agent_id = $1`,
      [id],
    );
    expect(left.rows).toEqual([]);
    expect((await auditOf(id)).map(([action]) => action)).toContain('agent.deleted');
  });

  it('gives its numbers to another agent, or is refused while it has numbers', async () => {
    const [id, heir] = [await created(), await created()];
    const numbers = [
      await aNumber(api.pool, own.accountId, { agent_id: id }),
      await aNumber(api.pool, own.accountId, { closed_agent_id: id, closed: JSON.stringify({ action: 'agent' }) }),
    ];
    const unused = await send('delete', `${AGENTS}/${id}?if_unused=true`);
    expect([unused.status, unused.body.message]).toEqual([409, expect.stringMatching(/^The agent answers \+/)]);
    for (const [to, sentence] of [
      [id, 'The reassign to field must be another agent.'],
      [other.agentId, `No agent ${other.agentId} in this account.`],
    ] as const) {
      const refused = await send('delete', `${AGENTS}/${id}?reassign_to=${to}`);
      expect([refused.status, refused.body.errors]).toEqual([422, { reassign_to: [sentence] }]);
    }
    expect((await read(id)).active).toBe(true);
    const deleted = await send('delete', `${AGENTS}/${id}?reassign_to=${heir}`);
    expect([deleted.status, deleted.body]).toEqual([200, { message: 'Agent deleted successfully.' }]);
    const [answering, closed] = await Promise.all(numbers.map((one) => send('get', `/api/v1/numbers/${one}`)));
    expect(answering?.body.data.agent_id).toBe(heir);
    expect(closed?.body.data.closed).toEqual({ action: 'agent', agent_id: heir });
  });

  it('is refused while other agents use its knowledge bases, and leaves the agent as it was', async () => {
    const id = await created();
    const shared = { title: 'a', source_type: 'text', content: 'b', agent_ids: [own.agentId] };
    expect((await send('post', `${AGENTS}/${id}/knowledge-bases`, shared)).status).toBe(201);
    expect((await send('delete', `${AGENTS}/${id}`)).status).toBe(409);
    expect((await read(id)).active).toBe(true);
  });

  it('lets a call that is created at the same time fail like one of an unknown agent', async () => {
    const id = await created();
    const call = { to_number: 'sip:a@127.0.0.1', agent_id: id, number_id: own.numberId };
    const key = newId();
    const post = () => api.as(own.token).post('/api/v1/calls').set('Idempotency-Key', key).send(call);
    const client = await api.pool.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM agents WHERE id = $1', [id]);
    const answer = post().then((response) => response);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    try {
      await eventually(
        () => api.pool.query(waiting, [rows[0]?.pid]),
        ({ rowCount }) => rowCount === 1,
      );
    } finally {
      await client.query('COMMIT');
      client.release();
    }
    for (const { status, body } of [await answer, await post()])
      expect([status, body.errors]).toEqual([
        422,
        { agent_id: [expect.stringMatching(/^No agent \d+ in this account\.$/)] },
      ]);
  });
});
