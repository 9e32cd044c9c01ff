import type { Query } from '../api/client.js';
import type { RubricAnalytics, RubricRow } from '../api/types.js';
import { analyticsQuery, type Line, type OverviewState, shownRatio } from './analytics.js';
import { words } from './format.js';

/** The filters of the overview by which the service keeps answers. */
const FILTERS = ['agent_id', 'agent_version'];
/** More lines of one chart cannot be told apart. */
const MAX_LINES = 6;

export const rubricsHave = ({ filter }: OverviewState): boolean =>
  Object.keys(filter).every((name) => FILTERS.includes(name));

/** The request for the lines of the charts, or for the answers of the whole range. */
export function rubricQuery(state: OverviewState, kind: 'lines' | 'totals', now = new Date()): Query {
  const { interval, time_zone, date_from, date_to, agent_id, agent_version, include_tests } = analyticsQuery(
    state,
    kind,
    now,
  );
  const group_by = state.groupBy.includes('version') ? 'version' : 'agent';
  return { interval, time_zone, date_from, date_to, agent_id, agent_version, include_tests, group_by };
}

const keyOf = ({ agent_id, agent_version, name, type }: RubricRow): string =>
  JSON.stringify([agent_id, agent_version, name, type]);

/** `Support v3`. */
export const agentOf = ({ agent_id: id, agent_name: name, agent_version: version }: RubricRow): string =>
  `${name ?? `Agent ${id}`}${version === null ? '' : ` v${version}`}`;

export const shownMean = (mean: number | null): string => (mean === null ? '–' : mean.toFixed(1));

/** The answers of a question in words. */
export function answersOf({ type, answered, true_share: share, mean, answers }: RubricRow): string {
  if (answered === 0) return '–';
  if (type === 'boolean') return `${shownRatio(share)} yes`;
  if (type === 'score') return `${shownMean(mean)} of 5`;
  const most = answers.toSorted((a, b) => b.calls - a.calls);
  return most.map(({ answer, calls }) => `${words(answer)} ${shownRatio(calls / answered)}`).join(' · ');
}

/** A line for each question of a type: of the questions that most calls answer, by agent where there are several. */
export function rubricLines({ data, meta }: RubricAnalytics, totals: readonly RubricRow[], type: string): Line[] {
  const asked = totals.filter((row) => row.type === type).toSorted((a, b) => b.answered - a.answered);
  const hasAgents = new Set(totals.map(agentOf)).size > 1;
  return asked.slice(0, MAX_LINES).map((total) => {
    const rows = new Map(data.filter((row) => keyOf(row) === keyOf(total)).map((row) => [row.start, row]));
    const valueAt = (start: string): number | null =>
      rows.get(start)?.[type === 'score' ? 'mean' : 'true_share'] ?? null;
    return {
      name: hasAgents ? `${agentOf(total)} · ${words(total.name)}` : words(total.name),
      values: meta.intervals.map(valueAt),
    };
  });
}
