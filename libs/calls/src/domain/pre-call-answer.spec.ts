import type { VariableDeclaration } from '@app/agents';
import { describe, expect, it } from '@jest/globals';
import { chosenAgentOf, readPreCallAnswer } from './pre-call-answer.js';

const DECLARED: VariableDeclaration[] = [{ name: 'customer_name', required: false, max_length: 40 }];

describe('the answer of a pre-call webhook', () => {
  it.each<[string, unknown, object]>([
    ['nothing', null, {}],
    ['unknown fields', { other: 1 }, {}],
    ['fields that are null', { variables: null, agent_overrides: null, skip: null }, {}],
    ['no skip', { skip: false }, {}],
    ['a reason to skip', { skip: ' The customer has opted out. ' }, { skip: 'The customer has opted out.' }],
    [
      'variables and overrides',
      { variables: { customer_name: 'Ada', tier: 'gold' }, agent_overrides: { greeting: 'Hi {{customer_name}}.' } },
      { variables: { customer_name: 'Ada', tier: 'gold' }, overrides: { greeting: 'Hi {{customer_name}}.' } },
    ],
  ])('may have %s', (_, value, expected) => expect(readPreCallAnswer(value, DECLARED)).toEqual(expected));

  it.each<[string, unknown, RegExp]>([
    ['text', 'hello', /not a JSON object/],
    ['a list', [], /not a JSON object/],
    ['an invalid variable', { variables: { customer_name: {} } }, /variables\.customer_name/],
    ['a variable that is too long', { variables: { customer_name: 'x'.repeat(41) } }, /greater than 40/],
    ['a list of variables', { variables: [] }, /variables/],
    ['an invalid override', { agent_overrides: { max_call_seconds: 0 } }, /agent_overrides\.max_call_seconds/],
    ['an undeclared placeholder', { agent_overrides: { greeting: '{{x}}' } }, /agent_overrides\.greeting.*declare/],
    ['a skip without a reason', { skip: true }, /skip/],
    ['a blank reason', { skip: ' ' }, /skip/],
    ['a long reason', { skip: 'x'.repeat(501) }, /at most 500/],
  ])('is refused with %s', (_, value, message) => expect(() => readPreCallAnswer(value, DECLARED)).toThrow(message));
});

describe('the agent that it chooses', () => {
  it.each<[unknown, number | undefined]>([
    [{ agent_id: 7 }, 7],
    [{ agent_id: null }, undefined],
    [{}, undefined],
    [null, undefined],
    ['7', undefined],
  ])('%j: %s', (value, expected) => expect(chosenAgentOf(value, 'inbound')).toBe(expected));

  it.each(['x', 0, 1.5, 2_147_483_648])('%j is refused', (id) =>
    expect(() => chosenAgentOf({ agent_id: id }, 'inbound')).toThrow('must be the id of an agent'),
  );

  it('is only for inbound calls', () =>
    expect(() => chosenAgentOf({ agent_id: 7 }, 'outbound')).toThrow('only for inbound calls'));
});
