import { AgentVersionsService } from '@app/agents';
import { type Acting, AuditService } from '@app/audit';
import { type AgentOfAccount, type FieldErrors, InvalidFields, NotFound, withCode } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { isTimeZone } from '@app/common/time-windows';
import { Injectable } from '@nestjs/common';
import type { TestPlan } from './domain/test-plan.js';
import { cronProblem, nextTime } from './domain/test-schedule.js';
import { scheduleView, type TestScheduleView } from './presenters/test-run.presenter.js';
import { readBody, type RunRequest, scheduleRequest } from './domain/test-requests.js';
import { ScenarioRunsService } from './scenario-runs.service.js';
import type { TestScheduleEntity } from './test-run.entity.js';
import { TestSchedulesRepository } from './test-schedules.repository.js';

const NO_PLAN: TestPlan = { files: {}, scenarios: [] };

/** When the scenarios of agents run. */
@Injectable()
export class TestSchedulesService {
  constructor(
    private readonly database: Database,
    private readonly schedules: TestSchedulesRepository,
    private readonly runs: ScenarioRunsService,
    private readonly versions: AgentVersionsService,
    private readonly audit: AuditService,
  ) {}

  /** Throws NotFound (agent, or schedule). */
  async find({ accountId, agentId }: AgentOfAccount): Promise<TestScheduleView> {
    await this.versions.scenarios({ accountId, agentId });
    const schedule = await this.schedules.find(accountId, agentId);
    if (!schedule) throw new NotFound('Test schedule');
    return scheduleView(schedule);
  }

  /** Creates or replaces the schedule. Throws NotFound (agent) and InvalidFields. */
  async put(agent: AgentOfAccount & Acting, body: unknown): Promise<TestScheduleView> {
    await this.versions.scenarios(agent);
    const request = readBody(scheduleRequest, body);
    const { accountId, agentId, actor } = agent;
    const { cron, time_zone: timeZone, scenarios = [], repeat, pass_rate, channel } = request;
    const errors: FieldErrors = {};
    const problem = cronProblem(cron);
    if (problem !== undefined) errors.cron = [withCode('invalid_format', problem)];
    if (!isTimeZone(timeZone))
      errors.time_zone = [
        withCode('invalid_format', 'The time zone field must be a name of the IANA time zone database.'),
      ];
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
    this.runs.requireUrl(request.webhook_url);
    // Scenarios of an agent without any may be added later.
    if (scenarios.length > 0) await this.runs.plan(agent, request);
    await this.database.entityTransaction(async (tx) => {
      await this.schedules.save(
        {
          agentId,
          accountId,
          cron,
          timeZone,
          scenarios,
          overrides: { repeat: repeat ?? null, pass_rate: pass_rate ?? null, channel: channel ?? null },
          webhookUrl: request.webhook_url ?? null,
          notify: request.notify ?? 'failure',
          nextAt: nextTime(cron, timeZone, new Date()),
        },
        tx,
      );
      const subject = { kind: 'agent', id: agentId };
      const details = { cron, time_zone: timeZone, scenarios };
      await this.audit.record({ accountId, actor, action: 'test_schedule.updated', subject, details }, tx);
    });
    return this.find(agent);
  }

  /** Throws NotFound. */
  async delete({ accountId, agentId, actor }: AgentOfAccount & Acting): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      if (!(await this.schedules.delete(accountId, agentId, tx))) throw new NotFound('Test schedule');
      const subject = { kind: 'agent', id: agentId };
      await this.audit.record({ accountId, actor, action: 'test_schedule.deleted', subject }, tx);
    });
  }

  /**
   * Starts the run of one schedule that is due. One transaction advances the schedule and adds the run, so that several workers start it
   * once; times that have passed meanwhile are skipped. False: none is due.
   */
  beginDue(now = new Date()): Promise<boolean> {
    return this.database.entityTransaction(async (tx) => {
      const schedule = await this.schedules.lockDue(now, tx);
      if (!schedule) return false;
      const lastRunId = await this.begin(schedule, tx);
      await this.schedules.begun(
        schedule.agentId,
        { nextAt: nextTime(schedule.cron, schedule.timeZone, now), lastRunId },
        tx,
      );
      return true;
    });
  }

  /** A schedule whose scenarios no longer exist ends as a run with an error, which is reported like a failure. */
  private async begin(schedule: TestScheduleEntity, tx: EntityTransaction): Promise<string> {
    const { scenarios, overrides, webhookUrl: webhook_url, notify } = schedule;
    const request: RunRequest = { ...overrides, scenarios, webhook_url, notify };
    try {
      const plan = await this.runs.plan(schedule, request);
      return await this.runs.insert(schedule, { ...request, plan, trigger: 'schedule' }, tx);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const problem = Object.values(error.fields).flat().join(' ');
      return this.runs.insert(schedule, { ...request, plan: NO_PLAN, trigger: 'schedule', problem }, tx);
    }
  }
}
