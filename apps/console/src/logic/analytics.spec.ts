import { describe, expect, it } from '@jest/globals';
import type { Analytics, AnalyticsRow } from '../api/types.js';
import {
  analyticsQuery,
  CHARTS,
  titleOf,
  intervalName,
  linesOf,
  metricsOf,
  type MetricName,
  overviewOf,
  shownValue,
} from './analytics.js';

const stateOf = (query: string) => overviewOf(new URLSearchParams(query), 'Europe/Berlin');

describe('the overview of an address', () => {
  it.each([
    ['', { days: 30, from: '', to: '', interval: '', zone: 'Europe/Berlin', groupBy: [], filter: {} }],
    ['days=7&zone=Asia/Tokyo&interval=hour', { days: 7, zone: 'Asia/Tokyo', interval: 'hour' }],
    ['from=2026-01-01&to=2026-02-01&days=7', { days: undefined, from: '2026-01-01', to: '2026-02-01' }],
    ['days=12345&interval=second&from=yesterday', { days: 30, interval: '', from: '' }],
    ['by=agent,outcome,trunk', { groupBy: ['agent', 'outcome'] }],
    ['by=agent,agent,shoe_size', { groupBy: ['agent'] }],
    ['agent_id=7&agent_version=3&outcome=&page=2', { filter: { agent_id: '7', agent_version: '3' }, withTests: false }],
    ['include_tests=true', { withTests: true, filter: {} }],
    ['include_tests=yes', { withTests: false }],
    ['channel=any', { channel: 'any' }],
    ['channel=fax', { channel: '' }],
  ])('of %j is read without what it cannot mean', (query, state) => expect(stateOf(query)).toMatchObject(state));
});

describe('the request of the overview', () => {
  const now = new Date('2026-03-10T23:30:00Z');

  it.each([
    // In Berlin the next day has begun.
    ['', { date_from: '2026-02-10', date_to: '2026-03-11', interval: 'day', time_zone: 'Europe/Berlin' }],
    ['zone=UTC&days=7', { date_from: '2026-03-04', date_to: '2026-03-10', interval: 'day' }],
    ['zone=UTC&days=1', { date_from: '2026-03-10', date_to: '2026-03-10', interval: 'hour' }],
    ['zone=UTC&from=2025-03-01', { date_from: '2025-03-01', date_to: '2026-03-10', interval: 'week' }],
    ['zone=UTC&from=2024-03-01', { interval: 'month' }],
    ['zone=UTC&to=2026-01-31', { date_from: '2026-01-02', date_to: '2026-01-31' }],
    ['include_tests=true', { include_tests: 'true' }],
    ['channel=web', { channel: 'web' }],
    ['by=agent,outcome&agent_id=7', { group_by: 'agent,outcome', group_limit: 5, agent_id: '7' }],
  ])('of %j has its range, interval and groups', (query, expected) =>
    expect(analyticsQuery(stateOf(query), 'lines', now)).toMatchObject(expected),
  );

  it('for the figures of the range has neither intervals nor groups', () => {
    const query = analyticsQuery(stateOf('by=agent&interval=hour'), 'totals', now);
    expect(query).toMatchObject({ interval: 'none' });
    expect(query).not.toHaveProperty('group_by');
  });

  it.each([
    ['', true],
    ['by=agent', true],
    ['by=agent&agent_id=7', true],
    ['campaign_id=7', true],
    ['by=outcome', false],
    ['by=agent,trunk', false],
    ['by=agent&trunk_id=7', false],
    ['outcome=busy', false],
    ['include_tests=true', false],
    ['channel=any', false],
  ])('of %j asks for peaks only where the service keeps them', (query, isAsked) =>
    expect(metricsOf(stateOf(query)).includes('peak_concurrency')).toBe(isAsked),
  );
});

const [MONDAY, TUESDAY] = ['2026-03-09T00:00:00.000+01:00', '2026-03-10T00:00:00.000+01:00'];
const row = (start: string, group: AnalyticsRow['group'], values: AnalyticsRow['values'], is_other = false) => {
  return { start, end: '', group, is_other, values };
};
const answerOf = (data: AnalyticsRow[], group_by: Analytics['meta']['group_by'] = []): Analytics => ({
  data,
  meta: {
    ...{ date_from: MONDAY, date_to: TUESDAY, interval: 'day', time_zone: 'Europe/Berlin', pending: 0 },
    ...{ metrics: ['calls', 'answer_rate'], group_by, intervals: [MONDAY, TUESDAY] },
  },
});

describe('the lines of a chart', () => {
  it('have zero calls and no rate in an interval without calls', () => {
    const answer = answerOf([row(TUESDAY, [], { calls: 4, answer_rate: 0.5 })]);
    expect(linesOf(answer, ['calls', 'answer_rate'])).toEqual([
      { name: 'Calls', values: [0, 4] },
      { name: 'Answer rate', values: [null, 0.5] },
    ]);
  });

  it('are one per group with the first metric, the others last', () => {
    const agent = (value: string | null, label: string | null, outcome: string): AnalyticsRow['group'] => [
      { dimension: 'version', value, label },
      { dimension: 'outcome', value: outcome, label: null },
    ];
    const data = [
      row(MONDAY, agent('7:3', 'Ada', 'no_answer'), { calls: 2 }),
      row(TUESDAY, agent('7:3', 'Ada', 'no_answer'), { calls: 3 }),
      row(TUESDAY, agent(null, null, 'busy'), { calls: 1 }),
      row(TUESDAY, agent(null, null, 'busy'), { calls: 9 }, true),
    ];
    expect(linesOf(answerOf(data, ['version', 'outcome']), ['calls', 'answered'])).toEqual([
      { name: 'Ada v3 · No answer', values: [2, 3] },
      { name: 'No version · Busy', values: [0, 1] },
      { name: 'Other', values: [0, 9] },
    ]);
  });
});

it.each([
  ['calls', [], 'Calls'],
  ['duration', [], 'Call duration'],
  ['calls', ['agent' as const], 'Calls'],
  ['cost', ['agent' as const], 'Cost'],
  ['duration', ['agent' as const], 'Call duration: p50'],
])('the chart %s with the groups %j is named for what it shows', (name, groups, title) =>
  expect(
    titleOf(
      CHARTS.find((chart) => chart.name === name)!,
      answerOf([], groups),
    ),
  ).toBe(title),
);

it.each<[MetricName, number | null, string]>([
  ['calls', 12_345, '12,345'],
  ['answer_rate', 0.756, '75.6 %'],
  ['duration_avg', 94.5, '1:34 min'],
  ['response_latency_p50', 640, '640 ms'],
  ['cost', 1.2, '$1.20'],
  ['answer_rate', null, '–'],
])('%s of %d is shown as %s', (metric, value, text) => expect(shownValue(metric, value)).toBe(text));

it.each([
  ['hour', '2026-03-09 14:00'],
  ['day', '2026-03-09'],
  ['week', 'Week of 2026-03-09'],
  ['month', '2026-03'],
])('a beginning of the interval %s is shown in the time zone of the query', (interval, text) =>
  expect(intervalName('2026-03-09T14:00:00.000+01:00', interval)).toBe(text),
);
