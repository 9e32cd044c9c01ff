import { describe, expect, it } from '@jest/globals';
import { callRow } from '../../test/sip-rows.js';
import type { CallRow } from '../call.entity.js';
import {
  callView,
  knowledgeSearches,
  postCallData,
  toReducedCallView,
  type SignedLinks,
  statusEventData,
  toolCallView,
} from './call.presenter.js';

const links: SignedLinks = {
  recording: (call, seconds) => `https://x/${call.id}?${seconds}`,
  transcript: (call, seconds) => `https://y/${call.id}?${seconds}`,
};
const at = (text: string) => new Date(`2026-01-02T03:04:${text}Z`);

const pending = callRow({
  id: 'c1',
  agent_id: 2,
  agent_version: 3,
  number_id: 3,
  to_number: '+15550001111',
  from_number: '+15550002222',
  record: true,
  metadata: { order: 7 },
  created_at: at('05.678'),
  webhook_seq: 1,
});
const talking: CallRow = { ...pending, status: 'in_progress', started_at: at('06'), answered_at: at('08') };
const completed: CallRow = {
  ...talking,
  status: 'completed',
  ended_at: at('53.400'),
  hangup_cause: 'normal_clearing',
  ended_by: 'callee',
  sip_code: 200,
  cost_micros: '12345',
  realtime_cost_micros: '2345',
  recording_key: 'recordings/1/c1.wav',
  recording_bytes: '4200',
  recording_ms: 45_400,
};

describe('the call object', () => {
  it('of a queued call has no times, costs or results', () => {
    // openapi.e2e-spec.ts compares the names of the fields with the document.
    expect(callView(pending, links)).toMatchObject({
      call_id: 'c1',
      status: 'pending',
      to_number: '+15550001111',
      from_number: '+15550002222',
      agent: 'Receptionist',
      duration_seconds: null,
      duration_minutes: null,
      cost: null,
      realtime_cost: null,
      started_at: null,
      answered_at: null,
      answered_by: null,
      answering_machine: null,
      recording_consent: null,
      ended_at: null,
      recording_url: null,
      recording_deleted_at: null,
      transcript_deleted_at: null,
      hangup_cause: null,
      failure: null,
      channel: 'phone',
      direction: 'outbound',
      agent_id: 2,
      agent_version: 3,
      number_id: 3,
      trunk_id: null,
      metadata: { order: 7 },
      created_at: '2026-01-02T03:04:05.678+00:00',
      sip_code: null,
      ended_by: null,
      transfers: [],
    });
  });

  it('of a completed call has times, costs and the recording', () => {
    expect(callView(completed, links)).toMatchObject({
      duration_seconds: 45,
      duration_minutes: 0.75,
      cost: 0.012345,
      realtime_cost: 0.002345,
      answered_at: '2026-01-02T03:04:08.000+00:00',
      recording_url: 'https://x/c1?3600',
      recording_deleted_at: null,
      transcript_deleted_at: null,
    });
  });

  it.each([
    ['the duration of a live call is counted up to now', talking, at('20'), 12],
    ['the duration is zero when the clock lags', talking, at('07'), 0],
    ['the duration of an ended call is fixed', completed, at('59'), 45],
    ['an unanswered call has no duration', { ...pending, ended_at: at('30') }, at('59'), null],
  ])('%s', (_name, row, now, seconds) => expect(callView(row, links, now).duration_seconds).toBe(seconds));

  it.each(['failed', 'busy', 'no_answer', 'cancelled', 'in_progress'] as const)(
    'has no cost in status %s',
    (status) => {
      expect(callView({ ...completed, status }, links)).toMatchObject({ cost: null, realtime_cost: null });
    },
  );
});

describe('the data of a webhook', () => {
  it('of a status is the reduced call with its times', () => {
    expect(statusEventData(talking)).toEqual({
      ...toReducedCallView(talking),
      channel: 'phone',
      direction: 'outbound',
      disclosure: null,
      guardrail_hits: [],
      agent_id: 2,
      agent_version: 3,
      campaign_id: null,
      contact_id: null,
      metadata: { order: 7 },
      created_at: '2026-01-02T03:04:05.678+00:00',
      started_at: '2026-01-02T03:04:06.000+00:00',
      answered_at: '2026-01-02T03:04:08.000+00:00',
      answered_by: null,
      answering_machine: null,
      recording_consent: null,
      ended_at: null,
      hangup_cause: null,
      failure: null,
    });
  });

  const line = {
    kind: 'carrier',
    description: 'Carrier',
    quantity: 45,
    unit: 'second',
    unit_price_micros: 200,
    amount_micros: 9000,
  };
  const results = {
    transcript: [],
    tool_calls: [],
    summary: 'They talked.',
    costs: [line],
    mediaQuality: null,
    measures: null,
  };

  it('of the end is the whole call with its results', () => {
    const data = postCallData(completed, results, links);
    expect(data).toMatchObject({
      call_id: 'c1',
      transcript_url: null,
      summary: 'They talked.',
      recording_url: 'https://x/c1?604800',
      recording_deleted_at: null,
      transcript_deleted_at: null,
      costs: [{ kind: 'carrier', quantity: 45, unit_price: 0.0002, amount: 0.009 }],
      recording: { url: 'https://x/c1?604800', bytes: 4200, duration_seconds: 45.4, error: null },
    });
  });

  it.each([
    ['not requested', { ...completed, record: false, recording_key: null }, null],
    [
      'lost',
      { ...completed, recording_key: null, recording_bytes: null, recording_ms: null, recording_error: 'Disk full.' },
      { url: null, bytes: null, duration_seconds: null, error: 'Disk full.' },
    ],
  ])('describes a recording that was %s', (_name, row, expected) => {
    expect(postCallData(row, results, links)).toMatchObject({ recording: expected });
  });
});

const times = { started_ms: 8_120, ended_ms: 8_124 };
const passage = { text: 'Article 4711 costs three euros.', source: 'prices.pdf', score: 0.9, chunk_id: '17' };
const search = {
  tool_call_id: 'tool-1',
  name: 'search_knowledge_base',
  arguments: { query: 'price of 4711', limit: 3 },
  result: { results: [passage] },
  ok: true,
  ...times,
};
const failed = { ...search, tool_call_id: 'tool-2', ok: false, result: { error: { code: 'search_failed' } } };
const nonsense = {
  ...search,
  tool_call_id: 'tool-3',
  ok: false,
  arguments: 'not json',
  result: { error: { code: 'x' } },
};
const other = { tool_call_id: 'tool-4', name: 'end_call', arguments: {}, result: { ending: true }, ok: true, ...times };

describe('the knowledge searches of a call', () => {
  it('list every wording that was searched, and the first one as the query', () => {
    const [view] = knowledgeSearches([{ ...search, arguments: { queries: ['price of 4711', 'Preis von 4711'] } }]);
    expect(view).toMatchObject({ query: 'price of 4711', queries: ['price of 4711', 'Preis von 4711'] });
  });

  it('are listed with their passages, or with the error of a failed search', () => {
    expect(knowledgeSearches([other, search, failed, nonsense])).toEqual([
      {
        tool_call_id: 'tool-1',
        query: 'price of 4711',
        queries: ['price of 4711'],
        results: [passage],
        error: null,
        ...times,
      },
      {
        tool_call_id: 'tool-2',
        query: 'price of 4711',
        queries: ['price of 4711'],
        results: [],
        error: { code: 'search_failed' },
        ...times,
      },
      { tool_call_id: 'tool-3', query: null, queries: [], results: [], error: { code: 'x' }, ...times },
    ]);
  });

  it('appear among the tool calls with the number of passages only', () => {
    expect(toolCallView(search)).toEqual({ ...search, result: { found: 1 } });
    const customers = { ...other, name: 'find_orders', result: { results: ['a', 'b'] } };
    expect([other, failed, customers].map(toolCallView)).toEqual([other, failed, customers]);
  });
});
