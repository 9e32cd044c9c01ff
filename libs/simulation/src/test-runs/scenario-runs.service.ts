import { AgentVersionsService } from '@app/agents';
import { RepeatedSimulationsService } from '../repeated-simulations.service.js';
import { type Acting, AuditService } from '@app/audit';
import {
  type AgentOfAccount,
  Conflict,
  type Env,
  InvalidFields,
  newId,
  noRecord,
  NotFound,
  withCode,
} from '@app/common';
import { Database, type EntityTransaction, type IdempotencyKey, IdempotencyRepository } from '@app/database';
import { egressUrlRules, type UrlRules, urlFault } from '@app/egress';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { conversationsOf, planOf, planProblem, type ScenarioFile, type TestPlan } from './domain/test-plan.js';
import { readBody, type RunRequest, runRequest } from './domain/test-requests.js';
import {
  conversationView,
  type TestConversationView,
  type TestRunView,
  runSummaryView,
  runView,
} from './presenters/test-run.presenter.js';
import { type RunOfAgent, ScenarioRunsRepository } from './scenario-runs.repository.js';
import { TestRunAnnouncementsService } from './test-run-announcements.service.js';
import type { TestRunEntity } from './test-run.entity.js';

const MAX_OPEN = 20;

/** Runs of scenarios with agents: workers play them. */
@Injectable()
export class ScenarioRunsService {
  private readonly webhookUrls: UrlRules;

  constructor(
    private readonly database: Database,
    private readonly runs: ScenarioRunsRepository,
    private readonly versions: AgentVersionsService,
    private readonly simulations: RepeatedSimulationsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly announcements: TestRunAnnouncementsService,
    private readonly audit: AuditService,
    @Inject(ENV) env: Env,
  ) {
    this.webhookUrls = egressUrlRules(env);
  }

  /** Adds a run to the queue. Throws NotFound (agent), InvalidFields and Conflict. */
  async start(
    agent: AgentOfAccount & Acting,
    body: unknown,
    key?: IdempotencyKey,
  ): Promise<{ view: TestRunView; replayed: boolean }> {
    await this.versions.scenarios(agent);
    const request = readBody(runRequest, body);
    const plan = await this.plan(agent, request);
    this.requireUrl(request.webhook_url);
    const { agent_version: version } = request;
    if (version !== undefined && version !== null) await this.requireVersion(agent, version);
    const { answer, replayed } = await this.idempotency.createOnce(agent.accountId, key, async (tx) => {
      if ((await this.runs.countOpen(agent.accountId, tx)) >= MAX_OPEN)
        throw new Conflict(`At most ${MAX_OPEN} test runs of an account can wait. Cancel one, or wait for one to end.`);
      const id = await this.insert(agent, { ...request, plan, trigger: 'request' }, tx);
      const subject = { kind: 'test_run', id };
      const details = {
        agent_id: agent.agentId,
        scenarios: plan.scenarios.length,
        conversations: conversationsOf(plan),
      };
      await this.audit.record({ ...agent, action: 'test_run.started', subject, details }, tx);
      return runView(await this.run({ ...agent, id }, tx), []);
    });
    if (!replayed) this.announcements.queued();
    return { view: answer, replayed };
  }

  /** @returns the id */
  async insert(
    { accountId, agentId }: AgentOfAccount,
    {
      plan,
      trigger,
      problem,
      ...request
    }: Omit<RunRequest, 'scenarios'> & { plan: TestPlan; trigger: TestRunEntity['trigger']; problem?: string },
    tx: EntityTransaction,
  ): Promise<string> {
    const id = newId();
    const now = new Date();
    const run = {
      id,
      accountId,
      agentId,
      agentVersion: request.agent_version ?? null,
      trigger,
      plan,
      conversations: conversationsOf(plan),
      webhookUrl: request.webhook_url ?? null,
      notify: request.notify ?? ('always' as const),
      leaseUntil: now,
      ...(problem !== undefined && { status: 'error' as const, problem, endedAt: now }),
    };
    await this.runs.insert(run, tx);
    if (problem !== undefined) await this.announcements.ended(await this.run({ accountId, agentId, id }, tx), [], tx);
    return id;
  }

  /** The plan of a run with the agent's present scenarios. Throws NotFound and InvalidFields. */
  async plan(
    agent: AgentOfAccount,
    { scenarios = [], repeat, pass_rate: passRate, channel }: RunRequest,
  ): Promise<TestPlan> {
    const stored = await this.versions.scenarios(agent);
    const files = scenarios.length === 0 ? stored : scenarios.map((one, index) => fileOf(one, index, stored));
    const read = files.map((file) => ({ ...file, read: this.simulations.read(file.scenario, file.name) }));
    const plan = planOf(read, { repeat, passRate, channel });
    const problem = planProblem(plan);
    if (problem) throw new InvalidFields(problem);
    return plan;
  }

  /** Throws InvalidFields (`webhook_url`). */
  requireUrl(url: string | null | undefined): void {
    const problem = typeof url === 'string' ? urlFault(url, this.webhookUrls) : undefined;
    if (problem !== undefined) throw new InvalidFields({ webhook_url: [problem] });
  }

  /** Newest first, without the results of the scenarios. Throws NotFound (agent). */
  async page(agent: AgentOfAccount, place: { page: number; perPage: number }) {
    await this.versions.scenarios(agent);
    const [runs, total] = await this.runs.page(agent.accountId, agent.agentId, place);
    return { runs: runs.map(runSummaryView), total };
  }

  /** Throws NotFound. */
  async find(place: RunOfAgent): Promise<TestRunView> {
    return runView(await this.run(place), await this.runs.counts(place.id));
  }

  /** Throws NotFound. */
  async conversations(
    place: RunOfAgent,
    filter: { scenario?: number; passed?: boolean },
    page: { page: number; perPage: number },
  ): Promise<{ conversations: TestConversationView[]; total: number }> {
    const run = await this.run(place);
    const [found, total] = await this.runs.conversationPage(run.id, filter, page);
    return { conversations: found.map((one) => conversationView(one, run)), total };
  }

  /** Ends a run; results so far are kept. Throws NotFound, and Conflict when the run is over. */
  async cancel(place: RunOfAgent & Acting): Promise<TestRunView> {
    await this.database.entityTransaction(async (tx) => {
      await this.run(place, tx);
      if (!(await this.runs.end({ id: place.id }, 'cancelled', null, tx))) throw new Conflict('The test run is over.');
      const subject = { kind: 'test_run', id: place.id };
      const { accountId, actor } = place;
      await this.audit.record({ accountId, actor, action: 'test_run.cancelled', subject }, tx);
      await this.announcements.ended(await this.run(place, tx), await this.runs.counts(place.id, tx), tx);
    });
    return this.find(place);
  }

  private async run(place: RunOfAgent, tx?: EntityTransaction): Promise<TestRunEntity> {
    const run = await this.runs.find(place, tx);
    if (!run) throw new NotFound('Test run');
    return run;
  }

  private async requireVersion(agent: AgentOfAccount, version: number): Promise<void> {
    try {
      await this.versions.settings({ ...agent, version });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      throw new InvalidFields({ agent_version: [noRecord('version', version)] });
    }
  }
}

function fileOf(
  wanted: string | Record<string, unknown>,
  index: number,
  stored: readonly ScenarioFile[],
): ScenarioFile {
  if (typeof wanted === 'object') return { name: `scenario ${index + 1}`, scenario: wanted };
  const found = stored.find(({ name }) => name === wanted);
  if (!found)
    throw new InvalidFields({
      [`scenarios.${index}`]: [withCode('not_found', `The agent has no scenario named ${wanted}.`)],
    });
  return found;
}
