import { describe, expect, it } from '@jest/globals';
import { parseScopes, SCOPES } from './scopes.js';

describe('scopes', () => {
  it.each([
    ['calls:read', ['calls:read']],
    ['calls:read,calls:write', ['calls:read', 'calls:write']],
    [' calls:read  calls:read ', ['calls:read']],
    ['*', [...SCOPES]],
    ['calls:read,*', [...SCOPES]],
  ])('%s', (text, expected) => expect(parseScopes(text)).toEqual(expected));

  it.each(['', 'calls', 'calls:read,admin', 'calls:*'])('%j is refused, and the scopes are told', (text) =>
    expect(() => parseScopes(text)).toThrow('calls:read, calls:write'),
  );
});
