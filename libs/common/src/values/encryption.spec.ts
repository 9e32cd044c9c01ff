import { describe, expect, it } from '@jest/globals';
import { Encryption } from './encryption.js';

const [OLD, NEW] = ['the key before, of the tests, long', 'the key of today, of the tests, long'];

describe('an encrypted value', () => {
  it('is decrypted only with its own key and context', () => {
    const sealed = new Encryption(OLD).encrypt('secret', 'trunk-password');
    expect(new Encryption(OLD).decrypt(sealed, 'trunk-password')).toBe('secret');
    expect(() => new Encryption(OLD).decrypt(sealed, 'webhook-secret')).toThrow('unable to authenticate');
    expect(() => new Encryption(NEW).decrypt(sealed, 'trunk-password')).toThrow('unable to authenticate');
  });

  it('is decrypted with a fallback key, and encrypted with the first key', () => {
    const both = new Encryption(NEW, ['some other key, never used here', OLD]);
    const old = new Encryption(OLD).encrypt('secret', 'c');
    expect(both.decrypt(old, 'c')).toBe('secret');
    expect(both.isCurrent(old, 'c')).toBe(false);
    expect(() => both.decrypt(old, 'd')).toThrow('unable to authenticate');
    const fresh = both.encrypt('secret', 'c');
    expect([both.isCurrent(fresh, 'c'), new Encryption(NEW).decrypt(fresh, 'c')]).toEqual([true, 'secret']);
  });

  it('has a key with a unique fingerprint', () => {
    expect(new Encryption(NEW, [OLD]).fingerprints).toEqual([
      new Encryption(NEW).fingerprint,
      new Encryption(OLD).fingerprint,
    ]);
    expect(new Encryption(NEW).fingerprint).not.toBe(new Encryption(OLD).fingerprint);
  });
});
