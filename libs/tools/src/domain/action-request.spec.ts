import { describe, expect, it } from '@jest/globals';
import { actionRequest, MAX_BODY_BYTES, InvalidActionRequest } from './action-request.js';
import type { TemplateScope } from './template.js';

type Action = Parameters<typeof actionRequest>[0];

const SCOPE: TemplateScope = {
  args: {
    id: 'a/b c',
    n: 5,
    list: [1, 2],
    deep: { x: 'ü' },
    none: null,
    crlf: 'x\r\nx-evil: 1',
    dots: '..',
    empty: '',
  },
  vars: { booking: 'b-1' },
  callback: null,
  call: { id: '0190' },
  metadata: { tier: 'gold' },
  agent: { id: 7, name: 'Receptionist' },
};

const request = (action: Partial<Action>, headers: { key: string; value: string }[] = [], scope = SCOPE) =>
  actionRequest({ url: 'https://h.example/x', method: 'POST', payload: null, queryParams: null, ...action }, headers, {
    tool: { name: 'look_up' },
    scope,
  });

const problem = (action: Partial<Action>, headers: { key: string; value: string }[] = [], scope = SCOPE) => {
  try {
    request(action, headers, scope);
  } catch (error) {
    if (error instanceof InvalidActionRequest) return error.code;
    throw error;
  }
  return undefined;
};

describe('the URL of an action', () => {
  const given = { payload: {} };
  it.each<[string, Partial<Action>, string]>([
    ['encodes a value', { url: 'https://h.example/u/{{args.id}}' }, 'https://h.example/u/a%2Fb%20c'],
    ['fills in a part of a segment', { url: 'https://h.example/u-{{args.n}}.json' }, 'https://h.example/u-5.json'],
    [
      'fills in the query',
      { url: 'https://h.example/?q={{args.id}}&n={{args.n}}' },
      'https://h.example/?q=a%2Fb%20c&n=5',
    ],
    [
      'renders a missing value in the query as empty',
      { url: 'https://h.example/?q={{args.nope}}' },
      'https://h.example/?q=',
    ],
    [
      'renders nested values as JSON',
      { url: 'https://h.example/?d={{args.deep}}' },
      'https://h.example/?d=%7B%22x%22%3A%22%C3%BC%22%7D',
    ],
    [
      'adds query_params',
      { queryParams: { a: 'x {{args.n}}', b: true, c: 2 } },
      'https://h.example/x?a=x+5&b=true&c=2',
    ],
    [
      'adds query_params to an existing query',
      { url: 'https://h.example/x?z=1', queryParams: { a: 1 } },
      'https://h.example/x?z=1&a=1',
    ],
    [
      'adds query_params to an empty query',
      { url: 'https://h.example/x?', queryParams: { a: 1 } },
      'https://h.example/x?a=1',
    ],
    [
      'drops the fragment',
      { url: 'https://h.example/x?z=1#top', queryParams: { a: 1 } },
      'https://h.example/x?z=1&a=1',
    ],
    [
      'adds a parameter for each element of a list',
      { queryParams: { a: ['{{args.n}}', 'y'], b: '{{args.list}}' } },
      'https://h.example/x?a=5&a=y&b=1&b=2',
    ],
    [
      'omits null and missing values',
      { queryParams: { a: null, b: '{{args.none}}', c: '{{args.nope}}', d: 'x{{args.nope}}' } },
      'https://h.example/x?d=x',
    ],
    [
      'uses the payload of a GET as its query',
      { method: 'GET', payload: { a: '{{args.n}}', b: { c: 1 } } },
      'https://h.example/x?a=5&b=%7B%22c%22%3A1%7D',
    ],
  ])('%s', (_, action, url) => expect(request({ ...given, ...action }).url).toBe(url));

  it('contains the arguments of a GET or DELETE without payload, nested ones as JSON', () => {
    const scope = { ...SCOPE, args: { id: 7, where: { city: 'Köln' }, tags: ['a', 'b'], none: null } };
    for (const method of ['GET', 'DELETE'] as const) {
      const { url, body } = request({ method, queryParams: { id: 'mine' } }, [], scope);
      expect([...new URL(url).searchParams]).toEqual([
        ['id', 'mine'],
        ['where', '{"city":"Köln"}'],
        ['tags', '["a","b"]'],
      ]);
      expect(body).toBe('');
    }
  });

  it.each<[string, Partial<Action>]>([
    ['an empty value in the path', { url: 'https://h.example/u/{{args.empty}}' }],
    ['a missing value in the path', { url: 'https://h.example/u/{{args.nope}}', method: 'DELETE' }],
    ['dots in the path', { url: 'https://h.example/u/{{args.dots}}/x' }],
    ['dots that template and value form together', { url: 'https://h.example/u/.{{args.dot}}' }],
    ['a host', { url: 'https://{{args.id}}.example/x' }],
    ['a port', { url: 'https://h.example:{{args.n}}/x' }],
    ['a user', { url: 'https://{{args.id}}@h.example/x' }],
  ])('refuses %s', (_, action) => {
    const scope = { ...SCOPE, args: { ...SCOPE.args, dot: '.' } };
    expect(problem(action, [], scope)).toBe('unusable_value');
  });

  it('is refused when it is longer than 8,192 characters', () => {
    const scope = { ...SCOPE, args: { q: 'x'.repeat(8_200) } };
    expect(problem({ url: 'https://h.example/?q={{args.q}}' }, [], scope)).toBe('request_too_large');
  });
});

describe('the body of an action', () => {
  it('is the payload with the JSON types of its values', () => {
    const payload = {
      n: '{{args.n}}',
      list: ['{{args.list}}'],
      who: '{{agent.name}}/{{metadata.tier}}',
      none: '{{args.nope}}',
    };
    expect(JSON.parse(request({ payload }).body)).toEqual({
      n: 5,
      list: [[1, 2]],
      who: 'Receptionist/gold',
      none: null,
    });
  });

  it('contains tool, arguments, call and agent when the action has no payload', () => {
    const expected = { tool: 'look_up', arguments: SCOPE.args, call_id: '0190', agent_id: 7 };
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      expect(JSON.parse(request({ method }).body)).toEqual(expected);
    }
    expect(JSON.parse(request({}, [], { ...SCOPE, call: null }).body)).toEqual({ ...expected, call_id: null });
  });

  it('is refused when it is too large', () => {
    const scope = { ...SCOPE, args: { text: 'ü'.repeat(MAX_BODY_BYTES / 2) } };
    expect(problem({}, [], scope)).toBe('request_too_large');
    const payload = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`f${n}`, '{{args.text}}']));
    expect(problem({ payload }, [], scope)).toBe('request_too_large');
  });
});

describe('the headers of an action', () => {
  it('are rendered', () => {
    const headers = [{ key: 'X-Ref', value: 'n-{{args.n}}-{{args.nope}}' }];
    expect(request({}, headers).headers).toEqual([{ key: 'X-Ref', value: 'n-5-' }]);
  });

  it.each(['{{args.crlf}}', 'a{{args.deep}}\0', '{{args.long}}', '{{args.emoji}}'])('refuse %j', (value) => {
    const scope = { ...SCOPE, args: { ...SCOPE.args, long: 'x'.repeat(2_049), emoji: '☎' } };
    expect(problem({}, [{ key: 'X-Ref', value }], scope)).toBe('unusable_value');
  });
});
