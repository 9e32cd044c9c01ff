import { describe, expect, it, jest } from '@jest/globals';
import { RE2JS } from 're2js';
import { isPartOf } from './conversation-facts.js';
import { readScenario, readScenarioFile, ScenarioInvalid } from '@app/agents/scenarios';
import { failuresOf } from './step-outcome.js';

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
    ['with an unknown field', { steps: [{ says: 'a' }], step: 1 }, '', /has the unknown field step$/],
    ['with two inputs', { steps: [{ says: 'a', keys: '1' }] }, 'steps.0', /takes one of/],
    ['with an empty step', { steps: [{ name: 'x' }] }, 'steps.0', /does nothing/],
    [
      'with a wrong pattern',
      { steps: [{ expects: { matches: '(' } }] },
      'steps.0.expects.matches',
      /must be a regular expression/,
    ],
    [
      'with a pattern that looks back',
      { steps: [{ expects: [{ matches: '(a)\\1' }] }] },
      'steps.0.expects.0.matches',
      /without .*back-references/,
    ],
    ['with wrong keys', { steps: [{ keys: '12x' }] }, 'steps.0.keys', /keys of a telephone/],
    ['with an unknown cause', { steps: [{ ends: 'whatever' }] }, 'steps.0.ends', /./],
    [
      'with a mock without an answer',
      { steps: [{ says: 'a' }], mocks: { t: {} } },
      'mocks.t',
      /needs result, or error/,
    ],
    ['with an invalid tool name', { steps: [{ calls: 'No Tool' }] }, 'steps.0.calls', /name of a tool/],
    ['that is too long', { steps: Array.from({ length: 51 }, () => ({ says: 'a' })) }, 'steps', /more than 50/],
    ['that takes too long', { steps: [{ says: 'a' }], max_seconds: 601 }, 'max_seconds', /^must be at most 600\b/],
    [
      'with a channel that does not exist',
      { steps: [{ says: 'a' }], channel: 'fax' },
      'channel',
      /^must be one of text, audio, sip$/,
    ],
    ['with a number as name', { steps: [{ says: 'a' }], name: 7 }, 'name', /^must be text$/],
    ['with half a repetition', { steps: [{ says: 'a' }], repeat: 0.5 }, 'repeat', /^must be a whole number$/],
    ['that always passes', { steps: [{ says: 'a' }], pass_rate: 0 }, 'pass_rate', /^must be above 0$/],
    [
      'with a long name',
      { steps: [{ says: 'a' }], name: 'a'.repeat(500) },
      'name',
      /^must have at most \d+ characters$/,
    ],
    ['that is not an object', 'hello', '', /^must be an object$/],
  ])('%s is refused with the place of the problem', (_, value, place, sentence) => {
    const problems = problemsOf(() => readScenario(value));
    expect(Object.keys(problems)).toContain(place);
    expect(problems[place]!.join()).toMatch(sentence);
  });
});

describe('the patterns of a scenario', () => {
  const stepsWith = (...sources: string[]) => ({ steps: [{ expects: sources.map((matches) => ({ matches })) }] });

  it.each<[string, string[], string, string]>([
    ['a pattern that repeats too much', ['\\pL{0,999}'.repeat(45)], 'steps.0.expects.0.matches', 'repeats too much'],
    ['nested repetitions', [`(${'a{31}'.repeat(90)}){31}`], 'steps.0.expects.0.matches', 'repeats too much'],
    [
      'nested repetitions behind an empty quotation',
      [`(${'a{31}'.repeat(90)})\\Q\\E{31}`],
      'steps.0.expects.0.matches',
      'repeats too much',
    ],
    [
      'many that are large together',
      Array<string>(20).fill('a{999}'),
      'steps.0.expects.3.matches',
      'makes the patterns of the scenario too large',
    ],
    [
      'many Unicode classes',
      Array<string>(20).fill('[\\pL\\pN]'.repeat(30)),
      'steps.0.expects.2.matches',
      'makes the patterns of the scenario too large',
    ],
  ])('share one budget, and the error names the place of a refused pattern: %s', (_, sources, place, sentence) => {
    const problems = problemsOf(() => readScenario(stepsWith(...sources)));
    expect(Object.keys(problems)).toEqual([place]);
    expect(problems[place]).toEqual([sentence]);
  });

  it('are no longer compiled when the budget is spent, whatever the size of the request', () => {
    const compile = jest.spyOn(RE2JS, 'compile');
    const steps = Array.from({ length: 50 }, () => stepsWith(...Array<string>(20).fill('x{999}(')).steps[0]);
    expect(() => readScenario({ steps })).toThrow(ScenarioInvalid);
    expect(compile.mock.calls.length).toBeLessThanOrEqual(81);
    compile.mockClear();
    const large = Array.from({ length: 50 }, () => stepsWith(...Array<string>(20).fill('\\pL{900}')).steps[0]);
    expect(() => readScenario({ steps: large })).toThrow(ScenarioInvalid);
    expect(compile.mock.calls.length).toBeLessThanOrEqual(5);
    compile.mockRestore();
  });

  it('have a separate budget per scenario', () => {
    const large = stepsWith('x{900}', 'x{900}', 'x{900}');
    expect([readScenario(large), readScenario(large)].map(({ steps }) => steps.length)).toEqual([1, 1]);
  });

  it('match anywhere in the words of the agent, and fail when the search exceeds its bound', () => {
    const [step] = readScenario(stepsWith('(?i)three euros')).steps;
    const facts = { toolCalls: [], guardrails: [], spokeAfterMs: 0, end: undefined };
    expect(failuresOf(step!, { ...facts, said: ['It costs', 'Three Euros.'] })).toEqual([]);
    const [costly] = readScenario(stepsWith('(x+x+)+y', 'x{900}z')).steps;
    expect(failuresOf(costly!, { ...facts, said: ['x'.repeat(20_000)] })).toEqual([
      'The patterns of this step are too large for what the agent said (20000 characters).',
    ]);
  });
});

describe('an expected tool call', () => {
  const times = { tool_call_id: 'call_1', result: null, started_ms: 0, ended_ms: 1 };
  const failed = { type: 'tool_call' as const, name: 'find_order', arguments: 'not JSON', ok: false, ...times };
  const facts = { said: [], toolCalls: [failed], guardrails: [], spokeAfterMs: undefined, end: undefined };
  const failures = (calls: unknown) => failuresOf(readScenario({ steps: [{ says: 'a', calls }] }).steps[0]!, facts);

  it('without expected arguments fits any arguments, and its failure is named', () => {
    expect(failures('find_order')).toEqual([]);
    expect(failures({ tool: 'find_order', ok: true })).toEqual(['find_order was expected to succeed and did not.']);
    expect(failures({ tool: 'find_order', arguments: { id: 1 } })).toEqual([
      'The agent called find_order, but not with {"id":1}. It was called with "not JSON".',
    ]);
  });
});

describe('a file of scenarios', () => {
  it('may share account and agent, and its errors name the scenario', () => {
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
])('expected arguments %j against actual arguments %j: fulfilled is %s', (wanted, actual, expected) =>
  expect(isPartOf(wanted, actual)).toBe(expected),
);
