import { InvalidFields, withCode } from '@app/common';
import { Injectable } from '@nestjs/common';
import { AnalyticsRepository } from './analytics.repository.js';
import { LabelsService } from './labels.service.js';
import { canonicalZone } from './analytics.service.js';
import { type Interval, intervalStarts, type RangeEdge, rangeOf, zonedTimes } from './domain/intervals.js';
import { checkSize, MAX_INTERVALS, MAX_ROWS, rollupSpans } from './domain/query.js';
import { type AnswerCount, RubricRollupsRepository } from './rubric-rollups.repository.js';

export interface RubricQuery {
  interval: Interval;
  timeZone: string;
  from?: RangeEdge | undefined;
  to?: RangeEdge | undefined;
  /** One row per version of an agent. */
  byVersion: boolean;
  /** Also the calls of tester callers. */
  withTests: boolean;
  agentId?: number | undefined;
  agentVersion?: number | undefined;
  /** Of the question. */
  name?: string | undefined;
}

interface RubricQuestionRow {
  /** ISO 8601 in the time zone of the query; `end` is excluded. */
  start: string;
  end: string;
  agent_id: number;
  agent_name: string | null;
  agent_version: number | null;
  name: string;
  type: string;
  /** Whose analysis asked the question. */
  calls: number;
  /** Those with an answer. */
  answered: number;
  /** Of `boolean`, between 0 and 1. */
  true_share: number | null;
  /** Of `score`. */
  mean: number | null;
  answers: { answer: string; calls: number }[];
}

/** The response of `GET /analytics/rubrics`. */
export interface RubricView {
  data: RubricQuestionRow[];
  meta: {
    date_from: string;
    date_to: string;
    interval: Interval;
    time_zone: string;
    intervals: string[];
    pending: number;
  };
}

/** Answers queries for the results of rubrics. */
@Injectable()
export class RubricAnalyticsService {
  constructor(
    private readonly analytics: AnalyticsRepository,
    private readonly labels: LabelsService,
    private readonly rubrics: RubricRollupsRepository,
  ) {}

  /** Throws InvalidFields with the names of query parameters. */
  async report(accountId: number, asked: RubricQuery): Promise<RubricView> {
    const query = { ...asked, timeZone: canonicalZone(asked.timeZone) };
    const { interval, timeZone } = query;
    const range = rangeOf(query, timeZone);
    const starts = intervalStarts(range, interval, timeZone, MAX_INTERVALS);
    checkSize({ groupBy: [], groupLimit: 0 }, range, starts);
    const kept = await this.analytics.keptZone(accountId, query);
    const zone = kept?.hasRubrics ? kept.id : undefined;
    const source = { ...query, accountId, zoneId: zone ?? 0, spans: rollupSpans(range, query, zone !== undefined) };
    const counts = await this.rubrics.counts(source, starts, MAX_ROWS + 1);
    if (counts.length > MAX_ROWS) throw new InvalidFields({ interval: [withCode('out_of_range', TOO_MANY)] });
    const agentIds = [...new Set(counts.map((count) => count.agent_id))];
    const names = await this.labels.of(accountId, 'agent', agentIds);
    const edges = zonedTimes([...starts, range.to], timeZone);
    return {
      data: questionsOf(counts).map((ofQuestion) => rowOf(ofQuestion, names, edges)),
      meta: {
        date_from: edges[0]!,
        date_to: edges.at(-1)!,
        interval,
        time_zone: timeZone,
        intervals: edges.slice(0, -1),
        pending: await this.analytics.pending(accountId),
      },
    };
  }
}

const TOO_MANY = `The query has more than ${MAX_ROWS} answers. Choose a longer interval, a shorter range or an agent_id.`;

/** The counts of each interval, agent, version and question, whose order they have. */
function questionsOf(counts: readonly AnswerCount[]): AnswerCount[][] {
  const questions = new Map<string, AnswerCount[]>();
  for (const count of counts) {
    const key = [count.interval, count.agent_id, count.agent_version, count.type, count.name].join(' ');
    const present = questions.get(key);
    if (present) present.push(count);
    else questions.set(key, [count]);
  }
  return [...questions.values()];
}

function rowOf(
  counts: readonly AnswerCount[],
  names: ReadonlyMap<number, string>,
  edges: readonly string[],
): RubricQuestionRow {
  const { interval, agent_id: agentId, agent_version: version, name, type } = counts[0]!;
  const answers = counts.filter(({ answer }) => answer !== '').map(({ answer, calls }) => ({ answer, calls }));
  const answered = answers.reduce((sum, { calls }) => sum + calls, 0);
  const mean = (valueOf: (answer: string) => number): number | null =>
    answered === 0 ? null : answers.reduce((sum, { answer, calls }) => sum + valueOf(answer) * calls, 0) / answered;
  return {
    start: edges[interval - 1]!,
    end: edges[interval]!,
    agent_id: agentId,
    agent_name: names.get(agentId) ?? null,
    agent_version: version === 0 ? null : version,
    name,
    type,
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    answered,
    true_share: type === 'boolean' ? mean((answer) => (answer === 'true' ? 1 : 0)) : null,
    mean: type === 'score' ? mean(Number) : null,
    answers,
  };
}
