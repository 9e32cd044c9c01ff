import { describe, expect, it } from '@jest/globals';
import { mergeRedaction, type Redaction } from './redaction.js';

const order = { name: 'order', pattern: '[A-Z]{2}-[0-9]+' };
const badge = { name: 'badge', pattern: '[0-9]{6}' };
const account: Redaction = { kinds: ['card', 'email'], custom: [order], audio: false };

describe('the redaction of a call', () => {
  it('finds what the account and what the agent removes, each pattern once', () => {
    const agent: Redaction = { kinds: ['email', 'iban'], custom: [badge, { ...order }], audio: true };
    expect(mergeRedaction(account, agent)).toEqual({
      kinds: ['card', 'iban', 'email'],
      custom: [order, badge],
      audio: true,
    });
  });

  it('keeps the silence of the account in recordings of an agent without it', () => {
    const agent: Redaction = { kinds: ['iban'], custom: [], audio: false };
    expect(mergeRedaction({ ...account, audio: true }, agent)?.audio).toBe(true);
  });

  it('is that of the account or of the agent where the other has none', () => {
    expect([mergeRedaction(account, null), mergeRedaction(null, account), mergeRedaction(null, null)]).toEqual([
      account,
      account,
      null,
    ]);
  });
});
