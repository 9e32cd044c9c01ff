import { describe, expect, it } from '@jest/globals';
import { postCallBody, statusBody } from './payload-limits.js';

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
    ['is whole when nothing was said', talk([]), 0, whole],
    ['is whole in exactly 256 KB', ofBytes(LIMIT), 10, whole],
    ['is cut, with a link to the whole, in one byte more', ofBytes(LIMIT + 1), 9, cut],
    ['is empty when its first turn is too long', talk(said(2, 'x'.repeat(LIMIT))), 0, cut],
    ['is counted in bytes, not in characters', talk(said(3, 'é'.repeat(60_000))), 2, cut],
    ['is whole when passages were in its way', talk(said(9, 'a'), { knowledge_searches: searches }), 9, whole],
    ['is whole when tools were in its way', talk(said(9, 'a'), { tool_calls: tools }), 9, whole],
    ['goes with metadata that nothing else has room beside', talk(said(9, 'a'), { metadata }), 0, cut],
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
  ['nothing that is not in its way', { knowledge_searches: searches, tool_calls: tools.slice(1, 3) }, ['passages']],
  ['tools after passages', { knowledge_searches: searches, tool_calls: tools }, ['passages', 'tool_details']],
  ['no metadata that has room', { transcript: said(1, 'x'.repeat(LIMIT)), metadata: { note: 'tea' } }, []],
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
