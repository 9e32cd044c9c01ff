import { describe, expect, it } from '@jest/globals';
import { Seal } from './seal.js';

const [OLD, NEW] = ['the key before, of the tests, long', 'the key of today, of the tests, long'];

describe('a sealed value', () => {
  it('is opened with its own key and context only', () => {
    const sealed = new Seal(OLD).seal('secret', 'trunk-password');
    expect(new Seal(OLD).open(sealed, 'trunk-password')).toBe('secret');
    expect(() => new Seal(OLD).open(sealed, 'webhook-secret')).toThrow('unable to authenticate');
    expect(() => new Seal(NEW).open(sealed, 'trunk-password')).toThrow('unable to authenticate');
  });

  it('is opened with a fallback, and sealed with the first key', () => {
    const both = new Seal(NEW, ['some other key that nobody used', OLD]);
    const old = new Seal(OLD).seal('secret', 'c');
    expect(both.open(old, 'c')).toBe('secret');
    expect(both.isOwn(old, 'c')).toBe(false);
    expect(() => both.open(old, 'd')).toThrow('unable to authenticate');
    const fresh = both.seal('secret', 'c');
    expect([both.isOwn(fresh, 'c'), new Seal(NEW).open(fresh, 'c')]).toEqual([true, 'secret']);
  });

  it('has a fingerprint that tells keys apart', () => {
    expect(new Seal(NEW, [OLD]).fingerprints).toEqual([new Seal(NEW).fingerprint, new Seal(OLD).fingerprint]);
    expect(new Seal(NEW).fingerprint).not.toBe(new Seal(OLD).fingerprint);
  });
});
