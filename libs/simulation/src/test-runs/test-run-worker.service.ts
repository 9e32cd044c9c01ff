import type { RetentionPeriod } from '@app/accounts';
import { AgentsService, AgentVersionsService } from '@app/agents';
import { type ChargedSimulation, ChannelUnavailable, SpendLimitReached } from '../simulations.service.js';
import { isEnough, RepeatedSimulationsService } from '../repeated-simulations.service.js';
import { NoTextMode } from '../simulated-agents.service.js';
import { InvalidFields, type Log, NotFound, runPeriodically, UnitsAtWork, UnusableSetting } from '@app/common';
import { Database } from '@app/database';
import type { Redaction } from '@app/privacy';
import { WakeUpsService } from '@app/queue';
import { LOG, OWNER } from '@app/common/settings';
import { ProviderUnavailable } from '@app/voice';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { reportOf } from './domain/conversation-report.js';
import { openConversations, type PlannedConversation, type RunStatus } from './domain/test-plan.js';
import { type ClaimedRun, type ScenarioCounts, ScenarioRunsRepository } from './scenario-runs.repository.js';
import { TestRunAnnouncementsService } from './test-run-announcements.service.js';
import { TestSchedulesService } from './test-schedules.service.js';

const LEASE_MS = 30_000;
/** Also the time after which a cancelled run stops. */
const RENEW_MS = 5_000;
/** Conversations of a run at once. */
const LANES = 4;
/** After a failure of the service itself, such as a database that does not respond. */
const AGAIN_MS = 30_000;
/** A run that brings down its worker is not repeated for ever. */
const MAX_ATTEMPTS = 10;

/** Starts scheduled runs and plays the conversations of test runs. Any number of workers share them. */
@Injectable()
export class TestRunWorkerService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private lastAccount = 0;

  constructor(
    private readonly database: Database,
    private readonly runs: ScenarioRunsRepository,
    private readonly schedules: TestSchedulesService,
    private readonly simulations: RepeatedSimulationsService,
    private readonly agents: AgentsService,
    private readonly versions: AgentVersionsService,
    private readonly announcements: TestRunAnnouncementsService,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Gives the running conversations up; another worker continues their runs. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Runs beyond their retention, 100 at most. @returns their number */
  deleteExpired(transcripts: readonly RetentionPeriod[]): Promise<number> {
    return this.runs.deleteExpired(transcripts);
  }

  /** Starts the scheduled runs that are due. */
  async beginScheduled(): Promise<void> {
    let begun = 0;
    while (!this.units.isStopping && (await this.schedules.beginDue())) begun++;
    if (begun > 0) this.wakeUps.wake('test-runs');
  }

  /** Plays the next run. @returns whether one was queued */
  playNext(): Promise<boolean> {
    return this.units.do(async () => {
      const run = await this.runs.claim(this.owner, LEASE_MS, this.lastAccount);
      if (!run) return false;
      this.lastAccount = run.account_id;
      this.wakeUps.wakeNext('test-runs');
      await this.play(run);
      return true;
    });
  }

  private async play(run: ClaimedRun): Promise<void> {
    const leaseLost = new AbortController();
    const signal = AbortSignal.any([this.units.signal, leaseLost.signal]);
    const renewal = runPeriodically(
      RENEW_MS,
      async () => {
        if (!(await this.runs.renew(run, LEASE_MS))) leaseLost.abort(new Error('the run is over'));
      },
      this.log,
    );
    try {
      const problem = await this.conversations(run, signal, () => leaseLost.abort(new Error('the run is over')));
      if (!signal.aborted) await this.end(run, problem);
    } catch (err) {
      if (!signal.aborted) this.log.error({ err, test_run_id: run.id }, 'a test run was interrupted and is retried');
    } finally {
      await renewal.stop();
      await this.runs.release(run, this.units.isStopping ? 0 : AGAIN_MS);
    }
  }

  /** Plays what has no result yet. @returns why the run cannot be completed */
  private async conversations(run: ClaimedRun, signal: AbortSignal, onLost: () => void): Promise<string | null> {
    if (run.attempts > MAX_ATTEMPTS) return `The run was interrupted ${MAX_ATTEMPTS} times.`;
    const open = openConversations(run.plan, await this.runs.played(run.id));
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const lane = async (): Promise<void> => {
      for (let one = open.shift(); one && !stop.aborted; one = open.shift()) {
        const { result, redaction } = await this.conversation(run, one, stop);
        if (stop.aborted) return;
        if (!(await this.runs.store(run, one, result.passed, reportOf(result, redaction)))) return onLost();
      }
    };
    const lanes = Array.from({ length: LANES }, () =>
      lane().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    );
    const results = await Promise.allSettled(lanes);
    if (signal.aborted) return null;
    const first: unknown = failed.signal.reason;
    if (!failed.signal.aborted) return null;
    const sentence = this.sentenceOf(first, run);
    if (sentence === undefined) throw results.find((one) => one.status === 'rejected')?.reason ?? first;
    return sentence;
  }

  private async conversation(
    { account_id: accountId, agent_id: agentId, agent_version: version, plan }: ClaimedRun,
    { scenario: index, repetition }: PlannedConversation,
    signal: AbortSignal,
  ): Promise<{ result: ChargedSimulation; redaction: Redaction | null }> {
    const agent = { accountId, agentId };
    const planned = plan.scenarios[index];
    const file = planned && plan.files[planned.file];
    const read = file && this.simulations.read(file, planned.file)[planned.index];
    if (!read) throw new InvalidFields({ scenarios: ['A scenario of the run cannot be read.'] });
    const settings = version === null ? undefined : (await this.versions.settings({ ...agent, version })).settings;
    const scenario = { ...read, channel: planned.channel };
    // Read before the conversation: a failure must not lose its result.
    const redaction = await this.agents.redaction(agent, settings);
    return { result: await this.simulations.one(agent, scenario, { signal, settings, repetition }), redaction };
  }

  /** Undefined: a failure of the service, after which the run is retried. */
  private sentenceOf(error: unknown, run: ClaimedRun): string | undefined {
    const explained = [NoTextMode, ChannelUnavailable, SpendLimitReached, InvalidFields, NotFound, UnusableSetting];
    if (explained.some((kind) => error instanceof kind)) return (error as Error).message;
    if (!(error instanceof ProviderUnavailable)) return undefined;
    // The operator configures providers; the client learns only that this one is unavailable.
    this.log.warn({ err: error, test_run_id: run.id }, 'a test run has no provider');
    return "The agent's voice provider is not available here.";
  }

  private async end(claimed: ClaimedRun, problem: string | null): Promise<void> {
    const { id, account_id: accountId, agent_id: agentId } = claimed;
    const counts = await this.runs.counts(id);
    const status: RunStatus = problem === null ? statusOf(claimed, counts) : 'error';
    await this.database.entityTransaction(async (tx) => {
      if (!(await this.runs.end(claimed, status, problem, tx))) return;
      const run = await this.runs.find({ accountId, agentId, id }, tx);
      if (run) await this.announcements.ended(run, counts, tx);
    });
    this.log.info({ test_run_id: id, account_id: accountId, agent_id: agentId, status }, 'a test run has ended');
  }
}

function statusOf({ plan }: ClaimedRun, counts: readonly ScenarioCounts[]): RunStatus {
  const isPassed = plan.scenarios.every(({ repeat, pass_rate: rate }, index) =>
    isEnough(counts.find(({ scenario }) => scenario === index)?.passes ?? 0, repeat, rate),
  );
  return isPassed ? 'passed' : 'failed';
}
