import { describe, expect, it } from '@jest/globals';
import type { EgressResponse } from '@app/egress';
import { gzipSync } from 'node:zlib';
import { answerOf, capResult, RESULT_LENGTH } from './endpoint-answer.js';

const json = { 'content-type': 'application/json; charset=utf-8' };

const response = (body: string | Buffer, rest: Partial<EgressResponse> = {}): EgressResponse => ({
  status: 200,
  headers: {},
  body: Buffer.from(body as string),
  truncated: false,
  latencyMs: 1,
  ...rest,
});

describe('the answer of an endpoint', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  it.each<[string, EgressResponse, unknown]>([
    ['JSON', response('{"a":[1,null]}', { headers: json }), { a: [1, null] }],
    ['an ID with many digits', response('{"order_id":8389765929445198309}'), { order_id: '8389765929445198309' }],
    ['a JSON number', response('42', { headers: json }), 42],
    ['JSON without a content type', response(' [1]'), [1]],
    ['JSON with a byte order mark', response('\ufeff{"a":1}'), { a: 1 }],
    ['text', response('Open until six.'), 'Open until six.'],
    ['a number that is text', response('42', { headers: { 'content-type': 'text/plain' } }), '42'],
    ['invalid JSON', response('{"a":', { headers: json }), '{"a":'],
    ['an empty body', response('', { status: 204, headers: json }), null],
    ['only white space', response(' \n'), null],
    [
      'JSON with characters that PostgreSQL cannot store',
      response('{"a":"x\\u0000\\ud800"}', { headers: json }),
      { a: 'x\ufffd\ufffd' },
    ],
    [
      'text in the charset of its type',
      response(Buffer.from('Größe', 'latin1'), { headers: { 'content-type': 'text/plain; charset=ISO-8859-1' } }),
      'Größe',
    ],
    ['text with a content encoding that is not one', response('ok', { headers: { 'content-encoding': 'none' } }), 'ok'],
    ['text with NUL', response('a\0b'), 'a\ufffdb'],
    ['a field of the prototype', response('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
    ['deeply nested JSON', response(deep, { headers: json }), deep],
  ])('is read: %s', (_, given, value) => expect(answerOf(given)).toEqual({ value }));

  it.each<[string, EgressResponse, object]>([
    ['a server error', response('no stock', { status: 500 }), { code: 'http_error', status: 500, answer: 'no stock' }],
    ['a client error', response('x'.repeat(900), { status: 404 }), { code: 'http_error', answer: 'x'.repeat(500) }],
    ['a body that is too long', response('x', { truncated: true }), { code: 'answer_too_large', status: 200 }],
    [
      'a compressed body',
      response(gzipSync('x'), { headers: { 'content-encoding': 'gzip' } }),
      { code: 'unreadable_answer' },
    ],
  ])('results in an error: %s', (_, given, error) => expect(answerOf(given)).toMatchObject({ error }));

  it('of a redirect is reported without its target', () => {
    const headers = { location: 'http://10.0.0.1/' };
    expect(answerOf(response('Moved to http://10.0.0.1/', { status: 302, headers }))).toEqual({
      error: {
        code: 'http_error',
        status: 302,
        message: 'The endpoint answered with a redirect (status 302), which is not followed.',
      },
    });
  });
});

describe('the result of a tool call', () => {
  it('is unchanged when it is short', () => {
    const result = { a: { x: 1 }, b: 'text' };
    expect(capResult(result)).toBe(result);
  });

  it.each<[string, Record<string, unknown>]>([
    ['one long text', { a: 'x'.repeat(60_000) }],
    ['text of quotes', { a: '"'.repeat(60_000) }],
    ['text of controls', { a: '\u0001'.repeat(60_000) }],
    ['text of surrogate pairs', { a: '😀'.repeat(30_000), b: 'x'.repeat(9_000) }],
    ['nested JSON', { a: Array.from({ length: 3_000 }, (_, id) => ({ id, name: 'x "y" z' })), b: { ok: true } }],
    ['ten long texts', Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`action ${n}`, 'ü'.repeat(5_000)]))],
  ])('with %s is shortened to the limit', (_, result) => {
    const capped = JSON.stringify(capResult(result));
    expect(capped.length).toBeLessThanOrEqual(RESULT_LENGTH);
    expect(capped.length).toBeGreaterThan(RESULT_LENGTH - 150);
    expect(capped).not.toMatch(/\\ud[89a-f]/);
    expect(Object.keys(JSON.parse(capped) as object)).toEqual(Object.keys(result));
  });

  it('keeps short fields complete, and the order of the fields', () => {
    const capped = capResult({ long: 'x'.repeat(9_000), short: { ok: true }, longer: ['y'.repeat(20_000)] });
    expect(Object.keys(capped)).toEqual(['long', 'short', 'longer']);
    expect(capped['short']).toEqual({ ok: true });
    expect(capped['long']).toMatchObject({ truncated: true });
    expect(capped['longer']).toMatchObject({ truncated: true, text: expect.stringMatching(/^\["yyy/) });
  });
});
