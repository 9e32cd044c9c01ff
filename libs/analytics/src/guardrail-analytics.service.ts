import { type GuardrailCount, GuardrailHitsRepository } from '@app/calls';
import { Injectable } from '@nestjs/common';
import { canonicalZone } from './analytics.service.js';
import { type RangeEdge, rangeOf, zonedTimes } from './domain/intervals.js';

export interface GuardrailQuery {
  timeZone: string;
  from?: RangeEdge | undefined;
  to?: RangeEdge | undefined;
  agentId?: number | undefined;
}

/** The response of `GET /analytics/guardrails`. */
export interface GuardrailsView {
  data: GuardrailCount[];
  meta: { date_from: string; date_to: string; time_zone: string };
}

/** An account with more rules than this sees the most frequent ones. */
const MAX_ROWS = 1_000;

/** Counts how often rules of agents applied. */
@Injectable()
export class GuardrailAnalyticsService {
  constructor(private readonly hits: GuardrailHitsRepository) {}

  /** Throws InvalidFields with the names of query parameters. */
  async report(accountId: number, asked: GuardrailQuery): Promise<GuardrailsView> {
    const timeZone = canonicalZone(asked.timeZone);
    const range = rangeOf(asked, timeZone);
    const times = { from: new Date(range.from), to: new Date(range.to) };
    const data = await this.hits.counts({ accountId, ...times, agentId: asked.agentId }, MAX_ROWS);
    const [from, to] = zonedTimes([range.from, range.to], timeZone);
    return { data, meta: { date_from: from!, date_to: to!, time_zone: timeZone } };
  }
}
