import { CallAnalysesService } from '@app/call-analysis';
import { CallFactsService, type EventFacts } from '@app/calls';
import { CooperativeYield } from '@app/common';
import { Database, type Sql } from '@app/database';
import { metrics } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { AnalyticsBlocksRepository } from './analytics-blocks.repository.js';
import { AnalyticsDaysRepository, type Zone } from './analytics-days.repository.js';
import { type AccountHour, AnalyticsHoursRepository } from './analytics-hours.repository.js';
import { CallSearchRepository, type SearchedWords } from './call-search.repository.js';
import { areCountedAlike, type CallFacts } from './domain/call-facts.js';
import { DayStarts, hourOf, quarterOf } from './domain/intervals.js';
import { quartersOf } from './domain/peaks.js';
import { type RubricRow, RubricRows } from './domain/rubric-rows.js';
import { transcriptVector } from './domain/transcript-words.js';
import { FactsRepository, type StoredFacts } from './facts.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

/** Calls of one transaction. */
const BATCH = 200;

/** Facts before and after they are counted. */
interface CountedFacts {
  /** Undefined: the rollups do not contain the call. */
  before: CallFacts | undefined;
  after: CallFacts;
}

/** Adds ended calls to the rollups, each exactly once: facts, words and answers of a batch change in one transaction. */
@Injectable()
export class AnalyticsCountingService {
  constructor(
    private readonly database: Database,
    private readonly facts: FactsRepository,
    private readonly hours: AnalyticsHoursRepository,
    private readonly blocks: AnalyticsBlocksRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
    private readonly search: CallSearchRepository,
    private readonly calls: CallFactsService,
    private readonly analyses: CallAnalysesService,
  ) {}

  /** Counts a batch of pending calls. Returns their number; 0 also while another process counts. */
  async countPending(): Promise<number> {
    const counted = await this.countBatch();
    for (const { before, after } of counted) if (!before && !after.is_test) observe(after);
    return counted.length;
  }

  private countBatch(): Promise<CountedFacts[]> {
    return this.database.transaction(async (tx) => {
      if (!(await this.facts.tryLock('count', tx))) return [];
      const facts = await this.facts.pending(BATCH, tx);
      if (facts.length === 0) return [];
      const counted = await this.complete(facts, tx);
      const accounts = [...new Set(facts.map((one) => one.account_id))];
      await this.days.addUtc(accounts, tx);
      const hours = changedHours(counted);
      if (hours.length > 0) {
        await this.hours.mark(hours, tx);
        await this.blocks.removeAround(hours, tx);
      }
      await this.rubrics.add(changedAnswers(counted, await this.days.zones(accounts, tx)), tx);
      return counted;
    });
  }

  /** Reads the events and the newest analyses of calls, stores their facts and words, and marks the peaks. Called under the lock. */
  async complete(facts: readonly StoredFacts[], tx: Sql): Promise<CountedFacts[]> {
    const ids = facts.map((one) => one.call_id);
    const events = await this.calls.ofEvents(ids, tx);
    const rubrics = await this.analyses.newestRubrics(ids, tx);
    const counted = facts.map((one) => ({
      before: one.counted ? one : undefined,
      after: { ...withEvents(one, events.get(one.call_id)), rubric: rubrics.get(one.call_id) ?? one.rubric },
    }));
    await this.facts.storeCounted(
      counted.map(({ after }) => after),
      tx,
    );
    await this.storeWords(ids, tx);
    await this.days.markPeaks(facts.flatMap(markedQuarters), tx);
    return counted;
  }

  private async storeWords(callIds: readonly string[], tx: Sql): Promise<void> {
    const words: SearchedWords[] = [];
    const yielding = new CooperativeYield();
    for (const { call_id: callId, account_id: accountId, turns } of await this.calls.transcripts(callIds, tx)) {
      words.push({ callId, accountId, words: transcriptVector(accountId, turns) });
      if (yielding.due) await yielding.pause();
    }
    await this.search.store(words, tx);
  }
}

/** After the commit: a process that dies in between leaves calls out of its metrics, never out of the rollups. */
function observe({ direction, outcome, answered_by, cost_micros: cost, ...facts }: CallFacts): void {
  metrics.countedCalls.inc({ direction, outcome, answered_by: answered_by ?? 'none' });
  metrics.callCost.inc(Number(cost ?? 0) / 1_000_000);
  metrics.toolCalls.inc({ outcome: 'succeeded' }, facts.tool_calls - facts.tool_failures);
  metrics.toolCalls.inc({ outcome: 'failed' }, facts.tool_failures);
  metrics.knowledgeSearches.inc({ outcome: 'found' }, facts.search_hits);
  metrics.knowledgeSearches.inc({ outcome: 'nothing' }, facts.searches - facts.search_hits);
}

/** Without events the transcript was deleted: what was counted stays. */
const withEvents = (facts: StoredFacts, events: EventFacts | undefined): CallFacts => ({ ...facts, ...events });

function markedQuarters({ account_id: accountId, started_at: startedAt, ended_at: endedAt }: CallFacts) {
  if (!startedAt) return [];
  return quartersOf({ start: startedAt.getTime(), end: endedAt.getTime() }).map((quarter) => ({ accountId, quarter }));
}

/** The hours whose rollups lack a call, or contain it as it was. */
function changedHours(counted: readonly CountedFacts[]): AccountHour[] {
  const changed = counted.filter(({ before, after }) => !before || !areCountedAlike(before, after));
  const hours = changed.map(({ after }) => ({ accountId: after.account_id, hour: hourOf(after.created_at.getTime()) }));
  return [...new Map(hours.map((one) => [`${one.accountId} ${one.hour}`, one])).values()];
}

/** What calls change in the counts of rubric answers: per quarter of an hour, and per day of those zones whose day is built. */
function changedAnswers(counted: readonly CountedFacts[], zones: readonly Zone[]): RubricRow[] {
  const answers = new RubricRows();
  const starts = new Map(zones.map((zone) => [zone.id, new DayStarts(zone.time_zone)]));
  for (const { before, after } of counted) {
    const at = after.created_at.getTime();
    const built = zones.filter((zone) => zone.account_id === after.account_id && at < zone.built_until);
    const buckets = [
      { zoneId: 0, bucket: quarterOf(at) },
      ...built.map(({ id }) => ({ zoneId: id, bucket: starts.get(id)!.of(at) })),
    ];
    for (const bucket of buckets) {
      if (before) answers.add(bucket, before, -1);
      answers.add(bucket, after, 1);
    }
  }
  return answers.all;
}
