import { describe, expect, it } from '@jest/globals';
import { deliveryRecord, type OutboxEvent } from './delivery-record.js';

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
  it('carries the exact body of every attempt', () => {
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
