import { describe, expect, it } from '@jest/globals';
import { changedFields, hasOtherValues, MAX_AGE_MS, MAX_KEPT, mayBeSecret, surplusKeys } from './unsaved-edits.js';

describe('unsaved edits', () => {
  it('are the fields whose values differ from those of the record', () => {
    const before = { name: ['Ada'], active: ['true'], host: ['a', 'b'], gone: ['1'] };
    const after = { name: ['Ada'], active: ['false'], host: ['a'], fresh: [''] };
    expect(changedFields(before, after)).toEqual({ active: ['false'], host: ['a'], fresh: [''], gone: [] });
  });

  it('know that the record was changed meanwhile, in a field of theirs', () => {
    const edits = { name: '', at: 0, fields: { a: ['2'] }, before: { a: ['1'] }, withheld: [] };
    expect(hasOtherValues(edits, { a: ['1'], b: ['3'] })).toBe(false);
    expect(hasOtherValues(edits, { a: ['5'], b: ['3'] })).toBe(true);
  });

  it.each([
    ['password', 'hunter2', true],
    ['inbound.password', 'x', true],
    ['client_secret', 'x', true],
    ['client_secret', '********', false],
    ['more', '{ "register": { "password": "hunter2" } }', true],
    ['more', '{ "register": { "password": "********" } }', false],
    ['payload', '{ "password": "{{args.password}}", "api_key": "" }', false],
    ['parameters', '{ "properties": { "token": { "type": "string" } } }', false],
    ['headers.rows', '[{"header":"Authorization","value":"Bearer 4f1c9a8e7d"}]', true],
    ['url', 'https://ada:hunter2@example.com/hook', true],
    ['url', 'https://example.com:8443/hook?order={{args.id}}', false],
    ['instructions', 'Use sk-proj-abcdefghijklmnop.', true],
    ['instructions', 'Ask for the password of the guest network, and keep the secret token.', false],
    ['max_tokens', '500', false],
  ])('keep a value unless it may be a secret: %s=%s', (name, value, isSecret) => {
    expect(mayBeSecret(name, value)).toBe(isSecret);
  });

  it('are kept for a limited time, and a limited number of them', () => {
    const now = 10 * MAX_AGE_MS;
    const stored = Array.from({ length: MAX_KEPT + 1 }, (_, index) => ({ key: `new ${index}`, at: now - index }));
    expect(surplusKeys([{ key: 'old', at: now - MAX_AGE_MS - 1 }, ...stored.slice(0, 2)], now)).toEqual(['old']);
    expect(surplusKeys(stored, now)).toEqual([`new ${MAX_KEPT}`]);
  });
});
