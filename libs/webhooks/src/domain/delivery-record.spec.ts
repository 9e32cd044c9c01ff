import { describe, expect, it } from '@jest/globals';
import { deliveryRecord, type OutboxEvent, postCallBody, statusBody } from './delivery-record.js';

const event = (rest: Partial<OutboxEvent>): OutboxEvent => ({
  accountId: 7,
  callId: '0190a5b0-0000-7000-8000-000000000001',
  type: 'call-status',
  event: 'ringing',
  sequence: 2,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  target: { url: 'https://hooks.example.com:8443/in?a=1', method: 'PUT' },
  data: { status: 'ringing', metadata: { order: 1 } },
  ...rest,
});

describe('a delivery record', () => {
  it('contains the exact body of every attempt', () => {
    const record = deliveryRecord(event({}));
    expect(record).toMatchObject({
      account_id: 7,
      sequence: 2,
      method: 'PUT',
      host: 'hooks.example.com:8443',
      headers_sealed: null,
    });
    expect(JSON.parse(record.body)).toEqual({
      id: record.id,
      type: 'call-status',
      event: 'ringing',
      created_at: '2026-01-02T03:04:05.678+00:00',
      sequence: 2,
      data: { status: 'ringing', metadata: { order: 1 } },
    });
  });

  it('omits metadata that makes a status longer than 4 KB, and sets metadata_omitted', () => {
    const small = deliveryRecord(event({ data: { status: 'ringing', metadata: { note: 'x'.repeat(3_000) } } }));
    expect(small.body).not.toContain('metadata_omitted');
    const { body } = deliveryRecord(event({ data: { status: 'ringing', metadata: { note: 'ü'.repeat(3_000) } } }));
    expect(JSON.parse(body).data).toEqual({ status: 'ringing', metadata: null, metadata_omitted: true });
  });
});

describe('a post-call record', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ role: 'agent', text: `${n} ${'é'.repeat(500)}` }));
  const bodyOf = (data: Record<string, unknown>) =>
    deliveryRecord(event({ type: 'post-call', event: 'ended', data })).body;

  it('is complete up to 256 KB', () => {
    expect(JSON.parse(bodyOf({ transcript: turns(200) })).data).toEqual({ transcript: turns(200) });
  });

  it('over 256 KB contains the beginning of the transcript, and sets transcript_truncated', () => {
    const body = bodyOf({ status: 'completed', transcript: turns(1_000) });
    const { data } = JSON.parse(body);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.byteLength(body)).toBeGreaterThan(254 * 1024);
    expect(data).toMatchObject({ status: 'completed', transcript_truncated: true });
    expect(data.transcript).toEqual(turns(1_000).slice(0, data.transcript.length));
  });

  it('over 256 KB omits the text of found passages before any part of the transcript', () => {
    const passage = (id: number) => ({ chunk_id: `${id}`, score: 0.5, text: 'x'.repeat(7_000) });
    const search = (id: number) => ({ query: 'tea', results: [passage(id)] });
    const searches = Array.from({ length: 60 }, (_, id) => search(id));
    const few = { transcript: turns(100), knowledge_searches: searches.slice(0, 5) };
    expect(JSON.parse(bodyOf(few)).data).toEqual(few);
    const { data } = JSON.parse(bodyOf({ transcript: turns(100), knowledge_searches: searches }));
    expect(data).toMatchObject({ transcript: turns(100), passages_omitted: true });
    expect(data.knowledge_searches[59]).toEqual({ query: 'tea', results: [{ chunk_id: '59', score: 0.5 }] });
  });

  it('over 256 KB omits arguments and results of tools before any part of the transcript', () => {
    const call = (id: number) => ({ name: 'look_up', invocation_id: `${id}`, ok: true });
    const calls = Array.from({ length: 40 }, (_, id) => ({
      ...call(id),
      arguments: { id },
      result: 'x'.repeat(8_000),
    }));
    const { data } = JSON.parse(bodyOf({ transcript: turns(100), tool_calls: calls }));
    expect(data).toEqual({
      transcript: turns(100),
      tool_calls: calls.map((_, id) => call(id)),
      tool_details_omitted: true,
    });
  });

  it('omits its metadata when the metadata alone is too long', () => {
    const { data } = JSON.parse(bodyOf({ transcript: turns(3), metadata: { note: 'x'.repeat(300_000) } }));
    expect(data).toMatchObject({ metadata: null, metadata_omitted: true });
  });
});

const LIMIT = 256 * 1024;
const LINK = 'https://calls.example.com/api/v1/transcripts/c1?expires=1&signature=s';

const render = (data: Record<string, unknown>): string => JSON.stringify({ id: 'e1', data });
const bodyOf = (data: Record<string, unknown>): string => postCallBody({ data, transcriptUrl: LINK }, render);

const said = (count: number, text: string) => Array.from({ length: count }, (_, n) => ({ role: 'agent', text, n }));

/** A post-call whose body has exactly so many bytes. */
function ofBytes(bytes: number) {
  const post = (text: string) => ({ transcript: [...said(9, 'a'), { role: 'caller', text }], transcript_url: null });
  return post('x'.repeat(bytes - Buffer.byteLength(render(post('')))));
}

const talk = (turns: unknown[], rest: object = {}) => ({ transcript: turns, transcript_url: null, ...rest });
const searches = Array.from({ length: 60 }, () => ({ query: 'tea', results: [{ score: 1, text: 'x'.repeat(7_000) }] }));
const tools = Array.from({ length: 40 }, () => ({ name: 'ask', arguments: {}, result: 'x'.repeat(8_000) }));
const metadata = { note: 'x'.repeat(LIMIT) };

const whole = { transcript_url: null, transcript_truncated: undefined };
const cut = { transcript_url: LINK, transcript_truncated: true };

describe('the transcript of a post-call body', () => {
  it.each([
    ['is complete when no words were spoken', talk([]), 0, whole],
    ['is complete in a body of exactly 256 KB', ofBytes(LIMIT), 10, whole],
    ['is truncated, with a link to the whole transcript, in a body of one byte more', ofBytes(LIMIT + 1), 9, cut],
    ['is empty when its first turn is too long', talk(said(2, 'x'.repeat(LIMIT))), 0, cut],
    ['is counted in bytes, not in characters', talk(said(3, 'é'.repeat(60_000))), 2, cut],
    [
      'is complete when the omission of passages frees enough space',
      talk(said(9, 'a'), { knowledge_searches: searches }),
      9,
      whole,
    ],
    [
      'is complete when the omission of tool details frees enough space',
      talk(said(9, 'a'), { tool_calls: tools }),
      9,
      whole,
    ],
    ['is empty when the metadata alone fills the body', talk(said(9, 'a'), { metadata }), 0, cut],
  ])('%s', (_name, data, turns, expected) => {
    const body = bodyOf(data);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMIT);
    const sent = JSON.parse(body).data;
    expect(sent.transcript).toEqual(data.transcript.slice(0, turns));
    expect({ transcript_url: sent.transcript_url, transcript_truncated: sent.transcript_truncated }).toEqual(expected);
  });
});

it('the transcript keeps as many turns as fit', () => {
  const { length } = Buffer.from(bodyOf(talk(said(20_000, 'a'))));
  expect(length).toBeLessThanOrEqual(LIMIT);
  expect(length).toBeGreaterThan(LIMIT - 50);
});

it.each([
  ['only passages when that is enough', { knowledge_searches: searches, tool_calls: tools.slice(1, 3) }, ['passages']],
  ['tool details after passages', { knowledge_searches: searches, tool_calls: tools }, ['passages', 'tool_details']],
  ['no metadata that fits', { transcript: said(1, 'x'.repeat(LIMIT)), metadata: { note: 'tea' } }, []],
  ['metadata last', { metadata }, ['metadata']],
])('a post-call body omits %s', (_name, rest, omitted) => {
  const sent = JSON.parse(bodyOf(talk(said(9, 'a'), { knowledge_searches: [], tool_calls: [], ...rest }))).data;
  const flags = Object.keys(sent).filter((name) => name.endsWith('_omitted'));
  expect(flags).toEqual(omitted.map((name) => `${name}_omitted`));
});

it('a status body of exactly 4 KB is complete, and one byte more omits the metadata', () => {
  const ofSize = (bytes: number) => {
    const data = (note: string) => ({ status: 'ringing', metadata: { note } });
    return data('x'.repeat(bytes - render(data('')).length));
  };
  expect(JSON.parse(statusBody(ofSize(4_096), render)).data).toEqual(ofSize(4_096));
  const bare = { status: 'ringing', metadata: null, metadata_omitted: true };
  expect(JSON.parse(statusBody(ofSize(4_097), render)).data).toEqual(bare);
});
