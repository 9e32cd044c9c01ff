import { describe, expect, it } from '@jest/globals';
import { parseScopes, SCOPES } from './scopes.js';

describe('scopes', () => {
  it.each([
    ['calls:read', ['calls:read']],
    ['calls:read,calls:write', ['calls:read', 'calls:write']],
    [' calls:read  calls:read ', ['calls:read']],
    ['*', [...SCOPES]],
    ['calls:read,*', [...SCOPES]],
  ])('%s is parsed into a list without duplicates', (text, expected) => expect(parseScopes(text)).toEqual(expected));

  it.each(['', 'calls', 'calls:read,admin', 'calls:*'])('%j is refused with a sentence that lists the scopes', (text) =>
    expect(() => parseScopes(text)).toThrow('calls:read, calls:write'),
  );
});
