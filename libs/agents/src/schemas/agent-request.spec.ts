import { InvalidFields } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { agentChange, agentRequest, draftChange } from './agent-schema.js';
import { readRequest, withStoredHeaders } from './agent-request.js';

const errorsOf = (work: () => unknown): Record<string, string[]> => {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidFields) return error.fields;
    throw error;
  }
  return {};
};

describe('the body of a request', () => {
  it.each([
    ['top-level fields', { name: 'a', colour: 1, id: 2 }, ['colour', 'id']],
    ['fields of objects in lists', { name: 'a', fallbacks: [{ provider: 'sandbox', x: 1 }] }, ['fallbacks.0.x']],
    ['no field of free-form JSON', { name: 'a', script: { any: { thing: 1 } } }, []],
  ])('has unknown fields that are ignored: %s', (_what, body, ignored) => {
    const read = readRequest(agentRequest, body);
    expect(read.ignored).toEqual(ignored);
    expect(read.fields.name).toBe('a');
  });

  it.each([
    ['an unknown field beside an invalid one', { colour: 1, greeting: 5 }, ['greeting', 'name']],
    ['a body that is a list', [], ['body']],
    ['null for a required field', { name: null }, ['name']],
  ])('reports the invalid fields of %s', (_what, body, fields) =>
    expect(Object.keys(errorsOf(() => readRequest(agentRequest, body))).toSorted()).toEqual(fields),
  );

  it('of a draft holds settings of a version only', () => {
    const body = { name: 'a', active: false, publish_requires: ['x'], greeting: 'Hi.', note: ' n ' };
    const { fields, ignored } = readRequest(draftChange, body);
    expect([fields.greeting, fields.note, ignored.toSorted()]).toEqual([
      'Hi.',
      'n',
      ['active', 'name', 'publish_requires'],
    ]);
  });
});

describe('a masked header', () => {
  const stored = { url: 'https://example.com/a', method: 'POST', headers: [{ key: 'X-Key', value: 'hush' }] };
  const given = (url: string, key = 'x-key') =>
    readRequest(agentChange, { post_call_webhook: { url, headers: [{ key, value: '********' }] } }).fields;
  const FIELD = 'post_call_webhook.headers.0.value';

  it.each([
    ['keeps the stored value on the same origin', given('https://example.com/b'), stored, {}],
    [
      'needs a new value for another host',
      given('https://evil.example/a'),
      stored,
      { [FIELD]: [expect.stringContaining('anew')] },
    ],
    [
      'needs a new value for another scheme',
      given('http://example.com/a'),
      stored,
      { [FIELD]: [expect.stringContaining('anew')] },
    ],
    [
      'needs a new value for another port',
      given('https://example.com:8443/a'),
      stored,
      { [FIELD]: [expect.stringContaining('anew')] },
    ],
    [
      'needs a stored value of its name',
      given('https://example.com/a', 'x-other'),
      stored,
      { [FIELD]: [expect.stringContaining('none')] },
    ],
    ['needs a stored webhook', given('https://example.com/a'), null, { [FIELD]: [expect.stringContaining('none')] }],
  ])('%s', (_what, fields, before, errors) => {
    expect(errorsOf(() => withStoredHeaders(fields, () => before))).toEqual(errors);
    if (Object.keys(errors).length > 0) return;
    const merged = withStoredHeaders(fields, () => before).post_call_webhook;
    expect(merged?.headers).toEqual([{ key: 'x-key', value: 'hush' }]);
  });
});
