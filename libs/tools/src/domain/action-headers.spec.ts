import { describe, expect, it } from '@jest/globals';
import { InvalidFields } from '@app/common';
import { type ActionHeader, mergeMaskedHeaders, shownHeaders } from './action-headers.js';
import type { NewAction } from './tool.js';

const URL = 'https://example.com/book';
const action = (headers: NewAction['headers'], url = URL): NewAction =>
  ({ name: 'book', url, headers }) as unknown as NewAction;
const stored = (...headers: ActionHeader[]) => [{ name: 'book', url: URL, headers }];
const merge = (headers: NewAction['headers'], ...before: ActionHeader[]) =>
  mergeMaskedHeaders([action(headers)], before.length > 0 ? stored(...before) : [])[0];
const header = (key: string, value: string, secret: boolean): ActionHeader => ({ key, value, secret });

describe('the headers of an action', () => {
  it.each([
    ['Authorization', true],
    ['cookie', true],
    ['X-Api-Key', true],
    ['x-apikey', true],
    ['X-Session', true],
    ['X-Token', true],
    ['X-Keyboard', false],
    ['Accept', false],
  ])('named %s are secret: %s', (name, secret) => {
    expect(merge({ [name]: 'v' })).toEqual([header(name, 'v', secret)]);
    expect(shownHeaders([header(name, 'v', secret)])).toEqual({ [name]: secret ? '********' : 'v' });
  });

  it('are as secret as the request says', () => {
    expect(merge({ 'X-Token': { value: 'v', secret: false }, Accept: { value: 'v', secret: true } })).toEqual([
      header('X-Token', 'v', false),
      header('Accept', 'v', true),
    ]);
  });

  it('stay as they are when they are sent back as they were shown', () => {
    const before = [header('X-Token', 'public', false), header('Authorization', 'Bearer s', true)];
    expect(merge(shownHeaders(before), ...before)).toEqual(before);
  });

  it.each<[string, NonNullable<NewAction['headers']>]>([
    ['another value', { 'X-Token': 'new' }],
    ['the same value, declared secret', { 'X-Token': { value: 'public', secret: true } }],
  ])('that were shown become secret with %s', (_, headers) => {
    expect(merge(headers, header('X-Token', 'public', false))).toMatchObject([{ secret: true }]);
  });

  it('cannot take a stored value to another host, nor one that is not stored', () => {
    const before = stored(header('Authorization', 'Bearer s', true));
    const problem = (headers: NewAction['headers'], url: string) => () =>
      mergeMaskedHeaders([action(headers, url)], before);
    expect(problem({ Authorization: '********' }, 'https://other.example/book')).toThrow(InvalidFields);
    expect(problem({ Cookie: '********' }, URL)).toThrow(InvalidFields);
    expect(problem({ Authorization: '********' }, `${URL}/2`)).not.toThrow();
  });
});
