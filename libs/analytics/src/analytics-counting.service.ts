import { CooperativeYield } from '@app/common';
import { Database, type Sql } from '@app/database';
import { metrics } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { AnalyticsDaysRepository, type Zone } from './analytics-days.repository.js';
import { CallSearchRepository } from './call-search.repository.js';
import { cuboidsFor, DAY_CUBOIDS, QUARTER_CUBOIDS } from './domain/dimensions.js';
import { DayStarts, quarterOf } from './domain/intervals.js';
import { quartersOf } from './domain/peaks.js';
import { type CallFacts, keyOf, measuresOf, RollupRows } from './domain/rollup-rows.js';
import { RubricRows } from './domain/rubric-rows.js';
import { transcriptVector } from './domain/transcript-words.js';
import { type EventFacts, RollupsRepository, type StoredFacts } from './rollups.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

/** Calls of one transaction. */
const BATCH = 200;

/** Facts before and after they are counted. */
interface CountedFacts {
  /** Undefined: the rollups do not contain the call. */
  before: CallFacts | undefined;
  after: CallFacts;
}

/** Adds ended calls to the rollups, each exactly once: facts, rollups and words of a batch change in one transaction. */
@Injectable()
export class AnalyticsCountingService {
  constructor(
    private readonly database: Database,
    private readonly rollups: RollupsRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
    private readonly search: CallSearchRepository,
  ) {}

  /** Counts a batch of pending calls. Returns their number; 0 also while another process counts. */
  async countPending(): Promise<number> {
    const counted = await this.countBatch();
    for (const { before, after } of counted) if (!before && !after.is_test) observe(after);
    return counted.length;
  }

  private countBatch(): Promise<CountedFacts[]> {
    return this.database.transaction(async (tx) => {
      if (!(await this.rollups.tryLock(tx))) return [];
      const facts = await this.rollups.pending(BATCH, tx);
      if (facts.length === 0) return [];
      const counted = await this.complete(facts, tx);
      const accounts = [...new Set(facts.map((one) => one.account_id))];
      await this.days.addUtc(accounts, tx);
      const { rows, answers } = await changes(counted, await this.days.zones(accounts, tx));
      await this.rollups.add(rows.all, tx);
      await this.rubrics.add(answers.all, tx);
      return counted;
    });
  }

  /** Reads the events and the newest analyses of calls, stores their facts and words, and marks the peaks. Called under the lock. */
  async complete(facts: readonly StoredFacts[], tx: Sql): Promise<CountedFacts[]> {
    const ids = facts.map((one) => one.call_id);
    const events = await this.rollups.eventFacts(ids, tx);
    const rubrics = await this.rubrics.newest(ids, tx);
    const counted = facts.map((one) => ({
      before: one.counted ? one : undefined,
      after: { ...withEvents(one, events.get(one.call_id)), rubric: rubrics.get(one.call_id) ?? one.rubric },
    }));
    await this.rollups.storeCounted(
      counted.map(({ after }) => after),
      tx,
    );
    await this.storeWords(ids, tx);
    await this.days.markPeaks(facts.flatMap(markedQuarters), tx);
    return counted;
  }

  private async storeWords(callIds: readonly string[], tx: Sql): Promise<void> {
    const vectors = new Map<string, string>();
    const yielding = new CooperativeYield();
    for (const { call_id: id, account_id: accountId, turns } of await this.search.turns(callIds, tx)) {
      vectors.set(id, transcriptVector(accountId, turns));
      if (yielding.due) await yielding.pause();
    }
    await this.search.store(vectors, tx);
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

/** What calls change in the rollups: per quarter of an hour, and per day of those zones whose day is built. */
async function changes(counted: readonly CountedFacts[], zones: readonly Zone[]) {
  const rows = new RollupRows();
  const answers = new RubricRows();
  const yielding = new CooperativeYield();
  const starts = new Map(zones.map((zone) => [zone.id, new DayStarts(zone.time_zone)]));
  for (const { before, after } of counted) {
    const { account_id: accountId, created_at: createdAt } = after;
    const at = createdAt.getTime();
    const both = [...(before ? [{ facts: before, times: -1 as const }] : []), { facts: after, times: 1 as const }].map(
      ({ facts, times }) => ({ facts, key: keyOf(facts), measures: measuresOf(facts), times }),
    );
    const built = zones.filter((zone) => zone.account_id === accountId && at < zone.built_until);
    for (const change of both) {
      const isTest = change.facts.is_test;
      const quarter = { accountId, zoneId: 0, bucket: quarterOf(at) };
      rows.add(quarter, change, cuboidsFor(QUARTER_CUBOIDS, isTest));
      answers.add(quarter, change.facts, change.times);
      for (const { id } of built) {
        const day = { accountId, zoneId: id, bucket: starts.get(id)!.of(at) };
        rows.add(day, change, cuboidsFor(DAY_CUBOIDS, isTest));
        answers.add(day, change.facts, change.times);
      }
    }
    if (yielding.due) await yielding.pause();
  }
  return { rows, answers };
}
