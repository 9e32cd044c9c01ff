import { describe, expect, it } from '@jest/globals';
import type { RubricAnalytics, RubricRow } from '../api/types.js';
import { overviewOf } from './analytics.js';
import { answersOf, rubricLines, rubricQuery, rubricsHave } from './rubrics.js';

const stateOf = (query: string) => overviewOf(new URLSearchParams(query), 'UTC');
const now = new Date('2026-03-10T12:00:00Z');

describe('the request for results of rubrics', () => {
  it.each([
    ['days=7', { date_from: '2026-03-04', date_to: '2026-03-10', interval: 'day', group_by: 'agent' }],
    ['by=outcome,version&agent_id=7&agent_version=3', { group_by: 'version', agent_id: '7', agent_version: '3' }],
    ['include_tests=true', { include_tests: 'true' }],
  ])('of %j has what the service keeps', (query, expected) => {
    const request = rubricQuery(stateOf(query), 'lines', now);
    expect(request).toMatchObject(expected);
    expect(Object.keys(request)).not.toContain('metrics');
  });

  it('leaves out the filters that do not apply to them', () =>
    expect(rubricQuery(stateOf('outcome=busy&trunk_id=3'), 'totals', now)).toEqual({
      ...{ interval: 'none', time_zone: 'UTC', date_from: '2026-02-09', date_to: '2026-03-10', group_by: 'agent' },
      ...{ agent_id: undefined, agent_version: undefined, include_tests: undefined },
    }));
});

it.each([
  ['', true],
  ['agent_id=7&agent_version=3&by=outcome&include_tests=true', true],
  ['outcome=busy', false],
  ['agent_id=7&campaign_id=2', false],
])('the filters of %j apply to rubrics: %j', (query, isKept) => expect(rubricsHave(stateOf(query))).toBe(isKept));

const row = (given: Partial<RubricRow>): RubricRow => ({
  ...{ start: 'Mon', end: 'Tue', agent_id: 7, agent_name: 'Support', agent_version: null, name: 'greeted' },
  ...{ type: 'boolean', calls: 10, answered: 8, true_share: 0.75, mean: null, answers: [] },
  ...given,
});

const topics = [
  { answer: 'order', calls: 2 },
  { answer: 'gift_card', calls: 6 },
];

it.each([
  [row({}), '75 % yes'],
  [row({ type: 'score', true_share: null, mean: 4.25 }), '4.3 of 5'],
  [row({ type: 'enum', true_share: null, answers: topics }), 'Gift card 75 % · Order 25 %'],
  [row({ answered: 0, true_share: null }), '–'],
])('answers are shown by their type: %#', (given, text) => expect(answersOf(given)).toBe(text));

describe('the lines of a chart of rubrics', () => {
  const meta = { intervals: ['Mon', 'Tue'] } as RubricAnalytics['meta'];
  const lines = { meta, data: [row({ start: 'Tue', true_share: 0.5 }), row({ type: 'score', mean: 3 })] };

  it('have a value where the question was answered', () =>
    expect(rubricLines(lines, [row({})], 'boolean')).toEqual([{ name: 'Greeted', values: [null, 0.5] }]));

  it('name the agent where there are several', () => {
    const totals = [row({}), row({ agent_id: 8, agent_name: null, agent_version: 2, answered: 9 })];
    expect(rubricLines(lines, totals, 'boolean').map(({ name }) => name)).toEqual([
      'Agent 8 v2 · Greeted',
      'Support · Greeted',
    ]);
  });

  it('are those of the questions with the most answers', () => {
    const totals = Array.from({ length: 9 }, (_one, index) => row({ name: `q${index}`, answered: index }));
    const names = rubricLines(lines, totals, 'boolean').map(({ name }) => name);
    expect(names).toEqual(['Q8', 'Q7', 'Q6', 'Q5', 'Q4', 'Q3']);
  });
});
