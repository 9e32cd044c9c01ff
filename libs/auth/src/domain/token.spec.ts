import { describe, expect, it } from '@jest/globals';
import { hashToken, isPlausibleToken, newToken, parseScopes, SCOPES } from './token.js';

describe('a token', () => {
  it('has a prefix, a fixed length, and is never the same twice', () => {
    const tokens = Array.from({ length: 200 }, newToken);
    expect(new Set(tokens).size).toBe(200);
    for (const token of tokens) expect(token).toMatch(/^tk_[0-9A-Za-z]{49}$/);
  });

  it('is well-formed when the service generated it', () => expect(isPlausibleToken(newToken())).toBe(true));

  it('is malformed when any one character is wrong', () => {
    const token = newToken();
    for (let at = 3; at < token.length; at += 1) {
      const other = token[at] === 'x' ? 'y' : 'x';
      expect(isPlausibleToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    ['nothing', ''],
    ['a truncated token', newToken().slice(0, -1)],
    ['a token with trailing text', `${newToken()} `],
    ['only the prefix', 'tk_'],
    ['a text that is too long', 'a'.repeat(201)],
  ])('is not %s', (_, text) => expect(isPlausibleToken(text)).toBe(false));

  it('may be a text that the operator chose', () => expect(isPlausibleToken('ci-4d5e6f7a8b9c0d1e2f3a4b5c')).toBe(true));

  it('is stored as its SHA-256', () => {
    expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('scopes', () => {
  it.each([
    ['calls:read', ['calls:read']],
    ['calls:read,calls:write', ['calls:read', 'calls:write']],
    [' calls:read  calls:read ', ['calls:read']],
    ['*', SCOPES.filter((scope) => scope !== 'account:write')],
    ['calls:read,*', SCOPES.filter((scope) => scope !== 'account:write')],
    ['*,account:write', [...SCOPES.filter((scope) => scope !== 'account:write'), 'account:write']],
  ])('%s is parsed into a list without duplicates', (text, expected) => expect(parseScopes(text)).toEqual(expected));

  it.each(['', 'calls', 'calls:read,admin', 'calls:*'])('%j is refused with a sentence that lists the scopes', (text) =>
    expect(() => parseScopes(text)).toThrow('calls:read, calls:write'),
  );
});
