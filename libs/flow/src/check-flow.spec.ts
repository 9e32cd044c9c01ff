import { describe, expect, it } from '@jest/globals';
import { type FlowReferences, flowProblems } from './check-flow.js';
import type { Flow, FlowStep } from './flow.js';

const REFERENCES: FlowReferences = {
  variables: ['plan', 'booking_id'],
  tools: ['find_times', 'book_time'],
  knowledgeBaseIds: [4],
  transfers: { isEnabled: true, destinations: ['reception'] },
};

const COLLECT = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    reason: { type: 'string', enum: ['book', 'cancel', 'other'] },
    age: { type: 'integer' },
    price: { type: 'number' },
    days: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'reason'],
};

const CLINIC: Flow = {
  start: 'identify',
  steps: [
    {
      name: 'identify',
      instructions: 'Find out who is calling and why.',
      collect: COLLECT,
      exits: [
        { to: 'book', if: 'vars.reason == "book"' },
        { to: 'cancel', when: 'The caller wants to cancel.' },
        { to: 'person', if: 'turns > 8 || vars.plan == "gold"' },
      ],
      max_turns: 12,
      on_limit: 'person',
    },
    {
      name: 'book',
      tools: ['find_times', 'book_time'],
      knowledge_base_ids: [4],
      exits: [{ to: 'confirm', if: 'vars.booking_id != null' }],
    },
    { name: 'confirm' },
    { name: 'person', action: { transfer: 'reception' } },
    { name: 'cancel', handoff: { agent: 7, context: 'summary' } },
  ],
};

/** The flow of the clinic with other fields in one step. */
const withStep = (index: number, fields: Partial<FlowStep>): Flow => ({
  ...CLINIC,
  steps: CLINIC.steps.map((step, at) => (at === index ? { ...step, ...fields } : step)),
});
const withExit = (expression: string): Flow => withStep(1, { exits: [{ to: 'confirm', if: expression }] });
const withCollect = (collect: Record<string, unknown>): Flow => withStep(1, { collect });
const withMore = (...steps: FlowStep[]): Flow => ({ ...CLINIC, steps: [...CLINIC.steps, ...steps] });

const problemsOf = (flow: Flow, references = REFERENCES): string[] =>
  flowProblems(flow, references).map(({ path, code, problem }) => `${path.join('.')} (${code}) ${problem}`);

describe('the check of a flow', () => {
  it('accepts steps with exits, actions and handoffs, a step without exits, and references that it does not know', () => {
    expect(problemsOf(CLINIC)).toEqual([]);
    expect(problemsOf(CLINIC, {})).toEqual([]);
  });

  it.each<[string, Flow, string[]]>([
    ['an unknown first step', { ...CLINIC, start: 'hello' }, ['start (not_found) is not a step of the flow: "hello"']],
    [
      'an exit to an unknown step',
      withStep(1, { exits: [{ to: 'nowhere', if: 'turns > 1' }] }),
      ['steps.1.exits.0.to (not_found) is not a step of the flow: "nowhere"'],
    ],
    [
      'an exit to its own step',
      withStep(1, {
        exits: [
          { to: 'book', when: 'Always.' },
          { to: 'confirm', when: 'Booked.' },
        ],
      }),
      ['steps.1.exits.0.to (not_allowed) must be another step'],
    ],
    [
      'a limit that leads to an unknown step',
      withStep(0, { on_limit: 'nobody' }),
      ['steps.0.on_limit (not_found) is not a step of the flow: "nobody"'],
    ],
    [
      'a limit without a step that follows',
      withStep(1, { timeout_seconds: 30 }),
      ['steps.1.on_limit (missing) is required with max_turns and timeout_seconds'],
    ],
    [
      'a step that follows no limit',
      withStep(1, { on_limit: 'person' }),
      ['steps.1.on_limit (not_allowed) needs max_turns or timeout_seconds'],
    ],
    [
      'a sentence that leads to an unknown step',
      withStep(2, { action: { say: 'Bye.', then: 'later' } }),
      ['steps.2.action.then (not_found) is not a step of the flow: "later"'],
    ],
    [
      'two steps of one name',
      withMore({ name: 'book' }),
      ['steps.5.name (duplicate) is the name of another step: "book"'],
    ],
    [
      'a step that no way leads to',
      withMore({ name: 'island' }),
      ['steps.5 (invalid) cannot be reached from the first step'],
    ],
    [
      'two steps that only lead to each other',
      {
        start: 'ping',
        steps: [
          { name: 'ping', exits: [{ to: 'pong', if: 'turns > 1' }] },
          { name: 'pong', exits: [{ to: 'ping', if: 'turns > 1' }] },
        ],
      },
      [0, 1].map((at) => `steps.${at} (invalid) cannot end: every way from it leads back to it, or to a step like it`),
    ],
    [
      'an unknown tool',
      withStep(1, { tools: ['find_times', 'pay'] }),
      ['steps.1.tools.1 (not_found) is not a tool of the agent: "pay"'],
    ],
    [
      'an unknown knowledge base',
      withStep(1, { knowledge_base_ids: [4, 5] }),
      ['steps.1.knowledge_base_ids.1 (not_found) is not a knowledge base of the agent: 5'],
    ],
    [
      'an unknown destination',
      withStep(3, { action: { transfer: 'boss' } }),
      ['steps.3.action.transfer (not_found) is not a destination of call_transfer: "boss"'],
    ],
    [
      'an action beside a handoff',
      withStep(4, { action: { end: true } }),
      ['steps.4.handoff (not_allowed) must not stand beside action'],
    ],
    [
      'values of a step that is left at once',
      withStep(4, { collect: COLLECT }),
      ['steps.4.collect (not_allowed) has no effect: the step is left as soon as it was entered'],
    ],
    [
      'exits of a step that ends the call',
      withStep(2, { action: { end: 'Goodbye.' }, exits: [{ to: 'person', if: 'turns > 1' }] }),
      ['steps.2.exits (not_allowed) has no effect: the step is left as soon as it was entered'],
    ],
    [
      'an expression that does not compile',
      withExit('vars.reason =='),
      ['steps.1.exits.0.if (invalid_format) does not compile: Unexpected token: EOF'],
    ],
    [
      'an expression with a value that nobody collects',
      withExit('vars.raeson == "book"'),
      ['steps.1.exits.0.if (not_found) uses the value raeson, which no step collects and the agent does not declare'],
    ],
    [
      'an expression with a name without vars',
      withExit('reason == "book"'),
      ['steps.1.exits.0.if (invalid_format) uses the unknown name reason; values are written as vars.name'],
    ],
    [
      'an expression over all values',
      withExit('size(vars) > 1'),
      ['steps.1.exits.0.if (invalid_format) uses vars without the name of a value; write it as vars.name'],
    ],
    [
      'an expression with a function that is not offered',
      withExit('vars.name.matches("^(a+)+$")'),
      [
        'steps.1.exits.0.if (invalid_format) must not use matches(); the functions are has, size, int, double, string, bool, timestamp, duration, contains, startsWith, endsWith, exists, all, exists_one, filter',
      ],
    ],
    [
      'an expression that is no condition',
      withExit('turns + 1'),
      ['steps.1.exits.0.if (invalid_format) must be true or false, and is of type int'],
    ],
    ['a value that is no condition', withExit('vars.name'), ['steps.1.exits.0.if (invalid) must be true or false']],
    [
      'an expression that compares types that do not fit',
      withExit('vars.name > 3'),
      ['steps.1.exits.0.if (invalid) cannot be evaluated: no such overload: dyn<string> > int'],
    ],
    [
      'an expression that compares a value with what it never is',
      withExit('vars.reason == "boook"'),
      ['steps.1.exits.0.if (invalid) compares reason with "boook", which it never is'],
    ],
    [
      'loops inside of loops',
      withExit('vars.days.exists(a, vars.days.exists(b, a == b))'),
      ['steps.1.exits.0.if (invalid_format) must not use exists inside of another one of its kind'],
    ],
    [
      'an expression that is too long',
      withExit(`turns > ${'1'.repeat(500)}`),
      ['steps.1.exits.0.if (invalid_format) must not be longer than 500 characters'],
    ],
    [
      'an expression with too many parts',
      withExit(Array.from({ length: 60 }, () => 'true').join('&&')),
      ['steps.1.exits.0.if (invalid_format) does not compile: Exceeded maxAstNodes (100)'],
    ],
    [
      'an expression that is nested too deep',
      withExit(`${'('.repeat(40)}true${')'.repeat(40)}`),
      ['steps.1.exits.0.if (invalid_format) does not compile: Exceeded maxDepth (24)'],
    ],
    [
      'a wrong type in a schema',
      withCollect({ type: 'object', properties: { day: { type: 'date' } } }),
      [
        'steps.1.collect.properties.day.type (invalid) must be one of string, number, integer, boolean, object, array, null, or an array of them',
      ],
    ],
    [
      'a schema of something else than an object',
      withCollect({ type: 'array', properties: { day: { type: 'string' } } }),
      ['steps.1.collect.type (invalid) must be object'],
    ],
    [
      'a schema without values',
      withCollect({ type: 'object' }),
      ['steps.1.collect.properties (missing) must have at least one value'],
    ],
    [
      'a required value that is not collected',
      withCollect({ type: 'object', properties: { day: { type: 'string' } }, required: ['date'] }),
      ['steps.1.collect.required.0 (not_found) is not a value of this step: "date"'],
    ],
    [
      'a value with the name of the exit',
      withCollect({ type: 'object', properties: { next: { type: 'string' } } }),
      ['steps.1.collect.properties.next (not_allowed) has a name that is used for something else'],
    ],
    [
      'a value whose name is not a name',
      withCollect({ type: 'object', properties: { 'first name': { type: 'string' } } }),
      [
        'steps.1.collect.properties.first name (invalid_format) must be named by 1 to 64 letters, digits and underscores, and not begin with a digit',
      ],
    ],
    [
      'a rule over several values',
      withCollect({ type: 'object', properties: { day: { type: 'string' } }, anyOf: [{ required: ['day'] }] }),
      ['steps.1.collect.anyOf (not_allowed) is not supported here: values are validated one by one'],
    ],
    [
      'a pattern that could take long',
      withCollect({ type: 'object', properties: { day: { type: 'string', pattern: '(a)\\1' } } }),
      [
        'steps.1.collect.properties.day.pattern (invalid) must be a regular expression without look-around and back-references: invalid escape sequence: `\\1`',
      ],
    ],
  ])('refuses %s', (_, flow, problems) => {
    expect(problemsOf(flow)).toEqual(problems);
  });

  it('refuses transfers of an agent that cannot transfer', () => {
    const transfers = { isEnabled: false, destinations: [] };
    expect(problemsOf(CLINIC, { ...REFERENCES, transfers })).toEqual([
      'steps.3.action.transfer (not_allowed) needs call_transfer.enabled of the agent',
    ]);
  });

  it('refuses more values than a call keeps', () => {
    const properties = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`value_${from + at}`, { type: 'string' }]));
    const flow: Flow = {
      start: 'one',
      steps: [
        {
          name: 'one',
          collect: { type: 'object', properties: properties(0) },
          exits: [{ to: 'two', if: 'turns > 1' }],
        },
        { name: 'two', collect: { type: 'object', properties: properties(60) } },
      ],
    };
    expect(problemsOf(flow)).toEqual(['steps (too_many) must not collect more than 100 values']);
  });
});
