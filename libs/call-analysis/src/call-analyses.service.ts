import { AgentLookupsService, analysisChange, type AnalysisSettings, readAnalysis } from '@app/agents';
import { readFields } from '@app/accounts';
import { type AnsweredCall, CallFactsService, type CallFilter } from '@app/calls';
import { type CodedProblem, Conflict, InvalidFields, newId, noRecord, NotFound, withCode } from '@app/common';
import { type IdempotencyKey, IdempotencyRepository, RecordExistenceRepository, type Sql } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import { type AnalysisBatch, analysisBatch, MAX_CALLS } from './domain/analysis-batch.js';
import { analysisView, type AnalysisView, batchView, type BatchView } from './analysis.presenter.js';
import {
  type BatchedCall,
  CallAnalysesRepository,
  MAX_VERSIONS,
  type RubricAnswer,
} from './call-analyses.repository.js';

const LAST_MS = 86_399_999;

/** An analysis reads one of these out of the call. */
const READ_OUT: readonly (keyof AnalysisSettings)[] = ['extract', 'rubric', 'summary_prompt'];

type Fields = Readonly<Record<string, unknown>>;

interface Queued<View> {
  view: View;
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
  /** Paths of unknown fields. */
  ignored: string[];
}

/** The analyses of calls as the API reads and requests them. Workers run them, see AnalysisRunnerService. */
@Injectable()
export class CallAnalysesService {
  constructor(
    private readonly analyses: CallAnalysesRepository,
    private readonly calls: CallFactsService,
    private readonly agents: AgentLookupsService,
    private readonly existence: RecordExistenceRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** The newest version. Throws NotFound. */
  async latest(accountId: number, callId: string): Promise<AnalysisView> {
    const view = await this.newest(accountId, callId);
    if (!view) throw new NotFound('Analysis');
    return view;
  }

  /** The newest version; undefined: the call has none. */
  async newest(accountId: number, callId: string): Promise<AnalysisView | undefined> {
    const [row] = await this.analyses.versions(accountId, callId, 1);
    return row && analysisView(row);
  }

  /** All versions, the newest first. */
  async versions(accountId: number, callId: string): Promise<AnalysisView[]> {
    return (await this.analyses.versions(accountId, callId, MAX_VERSIONS)).map(analysisView);
  }

  /**
   * Queues another analysis of a call: with the settings of its agent, some of which `fields` may replace. Throws NotFound, InvalidFields,
   * and Conflict when the call cannot be analysed.
   */
  async rerun(accountId: number, callId: string, fields: Fields, key?: IdempotencyKey): Promise<Queued<AnalysisView>> {
    const { fields: given, ignored } = readFields(analysisChange, fields);
    const add = async (tx: Sql): Promise<AnalysisView> => {
      const call = await this.calls.lockForAnalysis(accountId, callId, tx);
      if (!call) throw new NotFound('Call');
      const problem = problemOf({ ...call, versions: await this.analyses.countVersions(callId, tx) });
      if (problem) throw new Conflict(problem);
      const agent = await this.agents.ofCall({ accountId, agentId: call.agent_id, version: call.agent_version }, tx);
      const settings = wholeSettings({ ...agent?.analysis, ...given });
      return analysisView(await this.analyses.add(newId(), accountId, callId, settings, tx));
    };
    const { answer: view, replayed } = await this.idempotency.createOnce(accountId, key, add);
    if (!replayed) this.wakeUps.wake('analyses');
    return { view, replayed, ignored };
  }

  /** Queues the analyses of all calls of a filter. Throws InvalidFields. */
  async startBatch(accountId: number, fields: Fields, key?: IdempotencyKey): Promise<Queued<BatchView>> {
    const { fields: request, ignored } = readFields(analysisBatch, fields);
    refuseUnknownFilters(ignored);
    const settings = request.analysis;
    const batchId = newId();
    const add = async (tx: Sql): Promise<BatchView> => {
      const asked = { accountId, filter: filterOf(request.filter), settings };
      const unknown = await this.unknownRecords(accountId, asked.filter, tx);
      if (unknown.length > 0) throw new InvalidFields(Object.fromEntries(unknown));
      await this.analyses.addBatch({ id: batchId, accountId, filter: request.filter, settings }, tx);
      const calls = await this.calls.answered(accountId, asked.filter, MAX_CALLS + 1, tx);
      if (calls.length > MAX_CALLS) throw new InvalidFields({ filter: [withCode('too_many', TOO_MANY)] });
      const batched = await this.withSettings(accountId, calls, settings, tx);
      const added = await this.analyses.addToBatch({ id: batchId, accountId }, batched, tx);
      const counts = added > 0 ? { pending: added } : {};
      const row = { id: batchId, filter: request.filter, settings: settings ?? null, calls: added, counts };
      return batchView({ ...row, createdAt: new Date(), costMicros: 0 });
    };
    const { answer: view, replayed } = await this.idempotency.createOnce(accountId, key, add);
    if (!replayed) this.wakeUps.wake('analyses');
    return { view, replayed, ignored };
  }

  /** Throws NotFound. */
  async batch(accountId: number, batchId: string): Promise<BatchView> {
    const found = await this.analyses.batch(accountId, batchId);
    if (!found) throw new NotFound('Analysis batch');
    return batchView(found);
  }

  /** Newest first. */
  async batchPage(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ batches: BatchView[]; total: number }> {
    const { batches, total } = await this.analyses.batchPage(accountId, place);
    return { batches: batches.map(batchView), total };
  }

  /** The answers of the newest completed analysis by call. Calls without one are left out. */
  newestRubrics(callIds: readonly string[], tx: Sql): Promise<Map<string, RubricAnswer[]>> {
    return this.analyses.newestRubrics(callIds, tx);
  }

  /** Deletes the analyses of calls whose transcripts are deleted. */
  deleteOfCalls(callIds: readonly string[], tx: Sql): Promise<void> {
    return this.analyses.deleteOfCalls(callIds, tx);
  }

  /** For a sweep: batches older than 90 days. Their analyses stay with their calls. */
  purgeBatches(): Promise<void> {
    return this.analyses.purgeBatches();
  }

  /** The fields of a filter that name no record of the account. */
  private async unknownRecords(
    accountId: number,
    { agentId, numberId, campaignId }: CallFilter,
    tx: Sql,
  ): Promise<[field: string, problems: CodedProblem[]][]> {
    const named = [
      ['agent', 'agents', agentId],
      ['number', 'phone_numbers', numberId],
      ['campaign', 'campaigns', campaignId],
    ] as const;
    const unknown: [string, CodedProblem[]][] = [];
    for (const [kind, table, id] of named)
      if (id !== undefined && !(await this.existence.exists(accountId, { table, id }, tx)))
        unknown.push([`filter.${kind}_id`, [noRecord(kind, id)]]);
    return unknown;
  }

  /** The calls with the settings of their agents, some of which `given` may replace; calls without any are left out. */
  private async withSettings(
    accountId: number,
    calls: readonly AnsweredCall[],
    given: Partial<AnalysisSettings> | undefined,
    tx: Sql,
  ): Promise<BatchedCall[]> {
    const known = new Map<string, Partial<AnalysisSettings>>();
    const batched: BatchedCall[] = [];
    for (const { id: callId, agent_id: agentId, agent_version: version } of calls) {
      const key = `${agentId} ${version}`;
      const settings = known.get(key) ?? {
        ...(await this.agents.ofCall({ accountId, agentId, version }, tx))?.analysis,
        ...given,
      };
      known.set(key, settings);
      if (READ_OUT.some((field) => field in settings)) batched.push({ callId, settings });
    }
    return batched;
  }
}

const TOO_MANY = `The filter field must not match more than ${MAX_CALLS.toLocaleString('en-US')} answered calls. Use shorter dates.`;

function problemOf({
  is_answered,
  is_forgotten,
  versions,
}: {
  is_answered: boolean;
  is_forgotten: boolean;
  versions: number;
}) {
  if (!is_answered) return 'The call was not answered or has not ended, so there is nothing to analyse.';
  if (is_forgotten) return 'The transcript of the call was deleted, so it cannot be analysed.';
  return versions >= MAX_VERSIONS ? `The call has ${MAX_VERSIONS} analyses already.` : undefined;
}

/** Throws InvalidFields when neither the agent nor the request says what to read out of the call. */
function wholeSettings(settings: Partial<AnalysisSettings>): AnalysisSettings {
  if (!settings.extract && !settings.rubric && settings.summary_prompt === undefined)
    throw new InvalidFields({
      extract: [
        withCode(
          'missing',
          'The extract field is required, or rubric or summary_prompt: the agent of the call has no analysis.',
        ),
      ],
    });
  return readAnalysis(settings).fields;
}

/** Elsewhere unknown fields are ignored. Here all calls would be analysed, and billed. */
function refuseUnknownFilters(ignored: readonly string[]): void {
  const unknown = ignored.filter((path) => path.startsWith('filter.'));
  if (unknown.length === 0) return;
  const known = Object.keys(analysisBatch.shape.filter.shape).join(', ');
  throw new InvalidFields(
    Object.fromEntries(
      unknown.map((path) => [path, [withCode('unknown_field', `The ${path} field is unknown. Filters are ${known}.`)]]),
    ),
  );
}

const filterOf = (filter: AnalysisBatch['filter']): CallFilter => ({
  agentId: filter.agent_id,
  agentVersion: filter.agent_version,
  numberId: filter.number_id,
  campaignId: filter.campaign_id,
  direction: filter.direction,
  channel: filter.channel === 'any' ? undefined : (filter.channel ?? 'phone'),
  from: filter.date_from === undefined ? undefined : new Date(filter.date_from),
  to: filter.date_to === undefined ? undefined : endOf(filter.date_to),
});

/** A date covers its whole day. */
const endOf = (text: string): Date => {
  const time = new Date(text);
  return text.includes('T') ? time : new Date(time.getTime() + LAST_MS);
};
