import { describe, expect, it } from '@jest/globals';
import { readScenarioFile } from './scenario-file.js';
import { readScenario, ScenarioInvalid } from './scenario.js';
import { isPartOf } from './step-outcome.js';

const problemsOf = (read: () => unknown): Record<string, string[]> => {
  try {
    read();
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.problems;
    throw error;
  }
  return {};
};

describe('a scenario', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['without steps', {}, 'steps', /./],
    ['with an unknown field', { steps: [{ says: 'a' }], step: 1 }, '', /has no step/],
    ['with two inputs', { steps: [{ says: 'a', keys: '1' }] }, 'steps.0', /takes one of/],
    ['with an empty step', { steps: [{ name: 'x' }] }, 'steps.0', /does nothing/],
    ['with a wrong pattern', { steps: [{ expects: { matches: '(' } }] }, 'steps.0.expects.matches', /is no pattern/],
    ['with one that looks back', { steps: [{ expects: [{ matches: '(a)\\1' }] }] }, 'steps.0.expects.0.matches', /RE2/],
    ['with wrong keys', { steps: [{ keys: '12x' }] }, 'steps.0.keys', /keys of a telephone/],
    ['with an unknown cause', { steps: [{ ends: 'whatever' }] }, 'steps.0.ends', /./],
    [
      'with a mock without an answer',
      { steps: [{ says: 'a' }], mocks: { t: {} } },
      'mocks.t',
      /needs result, or error/,
    ],
    ['with a tool that cannot be one', { steps: [{ calls: 'No Tool' }] }, 'steps.0.calls', /name of a tool/],
    ['that is too long', { steps: Array.from({ length: 51 }, () => ({ says: 'a' })) }, 'steps', /more than 50/],
    ['that takes too long', { steps: [{ says: 'a' }], max_seconds: 121 }, 'max_seconds', /./],
    ['that is none', 'hello', '', /./],
  ])('%s is told where', (_, value, place, sentence) => {
    const problems = problemsOf(() => readScenario(value));
    expect(Object.keys(problems)).toContain(place);
    expect(problems[place]!.join()).toMatch(sentence);
  });
});

describe('a file of scenarios', () => {
  it('may share account and agent, and says which scenario is wrong', () => {
    const file = `
      account: acme
      agent: Receptionist
      scenarios:
        - name: one
          steps: [{ keys: 9 }]
        - agent: 7
          steps: [{ says: Hello }]`;
    expect(readScenarioFile(file)).toMatchObject([
      { account: 'acme', agent: 'Receptionist', scenario: { name: 'one', steps: [{ keys: '9' }] } },
      { account: 'acme', agent: 7, scenario: { name: 'simulation', tools: 'mock' } },
    ]);
    expect(problemsOf(() => readScenarioFile('scenarios: [{ steps: [{ keys: x }] }]'))).toEqual({
      'scenarios.0.steps.0.keys': [expect.any(String)],
    });
    expect(problemsOf(() => readScenarioFile('steps: ['))).toEqual({ '': [expect.stringMatching(/^is no YAML/)] });
  });
});

it.each<[unknown, unknown, boolean]>([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 2], c: 3 } }, true],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: undefined }, {}, false],
  [{}, 'text', false],
  [null, null, true],
  [{ toString: 1 }, {}, false],
])('%j is part of %j: %s', (wanted, actual, expected) => expect(isPartOf(wanted, actual)).toBe(expected));
