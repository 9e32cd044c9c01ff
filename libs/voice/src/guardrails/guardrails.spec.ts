import { describe, expect, it } from '@jest/globals';
import type { Guardrail } from './guardrail.js';
import { GuardrailRules } from './guardrail-rules.js';
import { Topics } from './stems.js';

const never = new AbortController().signal;
const rules = (
  given: Partial<Guardrail>[],
  ask: ConstructorParameters<typeof GuardrailRules>[2] = () => Promise.resolve(true),
  deadlineMs?: number,
): GuardrailRules =>
  new GuardrailRules(
    given.map((one, index) => ({ name: `rule_${index}`, on: 'agent', action: 'flag', ...one })),
    'en',
    ask,
    deadlineMs,
  );
const names = (found: readonly Guardrail[]): string[] => found.map(({ name }) => name);

describe('topics', () => {
  it.each([
    ['en', 'refund', 'We refunded it.', true],
    ['en', 'refund', 'Two REFUNDS', true],
    ['en', 'cancel', 'It was cancelled', true],
    ['en', 'share price', 'the share prices fell', true],
    ['en', 'share price', 'the price of a share', false],
    ['en', 'age', 'The agent said', false],
    ['en', "don't", 'I dont know', true],
    ['de', 'Kündigung', 'Ich will kündigen', true],
    ['de', 'Garantie', 'Wir geben Garantien', true],
    ['fr', 'rembourser', 'vous êtes remboursés', true],
    ['es', 'garantizado', 'está garantizada', true],
    ['ja', '返金', '返金できますか', true],
    ['zh-CN', '保证', '我保证', true],
    [undefined, 'lawyer', 'my lawyers', true],
  ])('%s: %s in "%s": %s', (language, topic, text, isIn) => {
    expect(new Topics([topic], language).isIn(text)).toBe(isIn);
  });
});

describe('rules', () => {
  it('match patterns without regard to case, of their side only, in their order', () => {
    const judge = rules([{ pattern: 'guarantee[ds]?' }, { on: 'user', pattern: '.' }, { topics: ['return'] }]);
    expect(names(judge.match('agent', 'A GUARANTEED return'))).toEqual(['rule_0', 'rule_2']);
  });

  it('find a match anywhere in long words, within a bound of work', () => {
    const judge = rules([{ pattern: 'sword ?fish' }]);
    expect(names(judge.match('agent', `${'x '.repeat(4_000)}swordfish`))).toEqual(['rule_0']);
  });

  it.each([
    ['a verdict', () => Promise.resolve(true), ['rule_0', 'rule_1']],
    ['no violation', () => Promise.resolve(false), []],
    ['an error', () => Promise.reject(new Error('busy')), ['rule_1']],
    ['no verdict in time', () => new Promise<boolean>(() => undefined), ['rule_1']],
  ])('judge policies: %s', async (_name, ask, expected) => {
    const judge = rules([{ policy: 'It rains.' }, { policy: 'It snows.', onTimeout: 'block' }], ask, 5);
    expect([judge.hasPolicies('agent'), judge.hasPolicies('user')]).toEqual([true, false]);
    expect(names(await judge.violated('agent', 'Words.', never))).toEqual(expected);
  });
});
