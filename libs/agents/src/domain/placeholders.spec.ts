import { describe, expect, it } from '@jest/globals';
import { malformedProblem, parseTemplate, templateErrors, templateProblem } from './placeholders.js';
import { type VariableDeclaration, valueProblems, variablesProblems } from './variables.js';
import { growsLinearly } from '../../../../test/support/growth.js';

describe('the placeholders of a text', () => {
  it.each([
    ['Hello {{customer}', /at line 1, column 7 that is not closed with }}/],
    ['Hello\n  {{}}', /at line 2, column 3 that is empty/],
    ['{{a b}}', /is unknown: placeholders are/],
    ['{{call.id}}', /is unknown/],
    ['{{metadata}}', /is unknown/],
    ['{{metadata.a..b}}', /is unknown/],
    ['{{agent.id}}', /is unknown/],
    ['{{args.x}}', /is unknown/],
    ['{{{name}}}', /contains a brace/],
    ['{{name | {x}}}', /contains a brace/],
    [`{{name | ${'x'.repeat(500)}}}`, /longer than 500/],
    ['{{ok}} and {{customer name}}', /column 12/],
  ])('%j are refused with the position of the first malformed one', (text, problem) =>
    expect(malformedProblem(text)).toMatch(problem),
  );

  it.each(['', 'none', '{ {a} }', 'a }} b', '{{a}}{{b|c}}', '{{ metadata.a-1.0 | x | y }}', '{{now}} {{agent.name}}'])(
    '%j are well-formed',
    (text) => expect(malformedProblem(text)).toBeUndefined(),
  );

  it('must be declared, unless they are metadata, the call, the agent or the time', () => {
    const variables = [{ name: 'customer_name' }];
    expect(templateProblem('{{customer_name}} {{metadata.x}} {{call.to_number}} {{now}}', variables)).toBeUndefined();
    expect(templateProblem('Hi {{customer_name}},\nyour {{order}}', variables)).toBe(
      'uses the variable {{order}} at line 2, column 6, which the agent does not declare in variables',
    );
  });

  it('are found in every text of the agent', () => {
    const agent = {
      instructions: '{{a}}',
      greeting: '{{a}}',
      answeringMachine: { message: '{{a}}' },
      conversation: { phrases: { idle: '{{a}}', filler: 'x' } },
      variables: [],
    };
    expect(templateErrors(agent).map(({ path }) => path.join('.'))).toEqual([
      'instructions',
      'greeting',
      'answering_machine.message',
      'conversation.phrases.idle',
    ]);
  });

  it('are found in linear time', async () => {
    expect(await growsLinearly((size) => parseTemplate(`${'{{ '.repeat(size)}}}`), 30_000)).toBe(true);
    expect(await growsLinearly((size) => parseTemplate('{{'.repeat(size)), 50_000)).toBe(true);
  });
});

describe('the values of a call', () => {
  const name: VariableDeclaration = { name: 'name', required: true, max_length: 5 };

  it.each<[Record<string, unknown> | null, Record<string, unknown> | null, [string, RegExp] | undefined]>([
    [null, null, ['metadata', /is required/]],
    [{}, { name: null }, ['variables', /is required/]],
    [null, { name: ' ' }, ['metadata', /is required/]],
    [null, { name: 'Ada' }, undefined],
    [{ name: 'Ada' }, null, undefined],
    [null, { name: 12345 }, undefined],
    [null, { name: false }, undefined],
    [null, { name: 'Johann' }, ['metadata', /greater than 5 characters/]],
    [{ name: 'Johann' }, { name: 'Ada' }, ['variables', /greater than 5/]],
    [null, { name: ['Ada'] }, ['metadata', /must be a string, a number, true or false/]],
    [null, { name: { first: 'Ada' } }, ['metadata', /must be a string/]],
  ])('variables %j and metadata %j', (variables, metadata, problem) => {
    const found = valueProblems([name], { variables, metadata });
    const [field, sentence] = problem ?? [];
    expect(found.map((one) => [one.field, one.name])).toEqual(problem ? [[field, 'name']] : []);
    expect(found.map((one) => one.problem).join()).toMatch(sentence ?? /^$/);
  });

  it('need no value where the declaration has a default', () => {
    expect(valueProblems([{ ...name, default: 'you' }], { variables: null, metadata: null })).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    [{ a: 'x', b: 1, c: true }, []],
    [[], ['variables']],
    ['x', ['variables']],
    [{ a: null, b: {} }, ['variables.a', 'variables.b']],
    [{ a: 'x'.repeat(1_001) }, ['variables.a']],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, 1])), ['variables']],
    [{ ['x'.repeat(65)]: 1 }, [`variables.${'x'.repeat(64)}`]],
  ])('of a request: %j', (values, paths) =>
    expect(variablesProblems('variables', values).map(([path]) => path)).toEqual(paths),
  );
});
