import { Encryption } from '@app/common';
import { queueOptions, WakeUpsService } from '@app/queue';
import { Queue } from 'bullmq';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Pool } from 'pg';
import { pino } from 'pino';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { apiOf } from '../test/support/api-client.js';
import { CountingCallee } from '../test/support/counting-callee.js';
import type { Stack } from '../test/support/stack.js';
import { WebhookAccount } from '../test/support/webhook-account.js';
import { createAccount, type TestAccount } from '../test/support/workspace.js';
import { AgentCallee } from './agent-callee.js';
import { load } from './api-load.js';
import { type Peer, startPeer } from './api-peer.js';
import type { Requests } from './api-requests.js';
import { cpuOfTrees } from './cpu.js';
import type { GateRowId } from './gate-rows.js';
import { allEnded, callCreator } from './scale-dialer.js';
import { pidsOf, type ScaleEnvironment } from './scale-environment.js';
import { deliveries, type DeliverySetup } from './scale-worker.js';
import { SinkProcess } from './sink-process.js';

/** Measures one value of a row: a rate or a cost. */
export type Measure = () => Promise<number>;
export type Measures = Record<GateRowId, Measure>;

export const API_MS = 1_500;
export const AGENT_CALLS = 100;
export const AGENT_SECONDS = 5;
const SETUP_CALLS = 160;
const CALLS_PER_REQUEST = 40;
/** An idle process has collected the garbage of its start. */
const IDLE_MS = 3_000;
const ROLES = ['api', 'worker', 'dialer'] as const;

const log = pino({ level: 'fatal' });

/** Processes of one build as `npm start` runs them, on a database of their own, with the receivers of their calls and webhooks. */
class GateService {
  private constructor(
    private readonly stack: Stack,
    private readonly account: TestAccount,
    private readonly counting: CountingCallee,
    private readonly agents: AgentCallee,
    private readonly delivery: DeliverySetup,
    private readonly queues: Queue[],
  ) {}

  static async start(build: string, environment: ScaleEnvironment): Promise<GateService> {
    const database = await environment.database();
    const { queueUrl } = environment;
    const stack = await environment.stack({ database, build, execArgv: collectorOf });
    const account = await createAccount(stack, { name: 'gate', concurrentCalls: 1_000, callsPerSecond: 1_000 });
    const pool = new Pool({ connectionString: database.url, max: 4 });
    const webhooks = await WebhookAccount.create(pool, new Encryption(stack.secretKey));
    await webhooks.addSecret();
    const options = queueOptions({ DATABASE_URL: database.url, QUEUE_URL: queueUrl });
    const queues = [new Queue('webhooks', options)];
    const delivery = {
      pool,
      account: webhooks,
      sink: await SinkProcess.start(),
      wakeUps: new WakeUpsService(queues, log),
    };
    const counting = await CountingCallee.start('127.0.0.1', 0);
    const agents = await AgentCallee.start(AGENT_CALLS);
    return new GateService(stack, account, counting, agents, delivery, queues);
  }

  async close(): Promise<void> {
    await this.stack.stop();
    await Promise.all(this.queues.map((queue) => queue.close()));
    await this.delivery.pool.end();
    this.delivery.sink.stop();
    await Promise.all([this.counting.close(), this.agents.close()]);
  }

  /** CPU ms of the dialer for a call from POST to its end. */
  async callSetUp(): Promise<number> {
    const create = callCreator(this.stack, this.counting, this.account);
    const before = await cpuOfTrees(pidsOf(this.stack, 'dialer'));
    const requests = Array.from({ length: SETUP_CALLS / CALLS_PER_REQUEST }, () => create(CALLS_PER_REQUEST));
    await Promise.all(requests);
    await this.ended();
    return ((await cpuOfTrees(pidsOf(this.stack, 'dialer'))) - before) / SETUP_CALLS;
  }

  /** CPU of the dialer with its threads, in percent of a core, while the calls are answered. */
  async agentCalls(): Promise<number> {
    const to_number = Array.from({ length: AGENT_CALLS }, (_, n) => this.agents.uri(n));
    await apiOf(this.stack, this.account).createCalls({ to_number, record: false });
    await this.agents.untilAnswered(AGENT_CALLS);
    const startedAt = performance.now();
    const before = await cpuOfTrees(pidsOf(this.stack, 'dialer'));
    await delay(AGENT_SECONDS * 1_000);
    const ms = (await cpuOfTrees(pidsOf(this.stack, 'dialer'))) - before;
    const percent = (ms * 100) / (performance.now() - startedAt);
    this.agents.hangUp();
    await this.ended();
    return percent;
  }

  /** Webhooks per second of a backlog that is committed at once. */
  async deliveries(): Promise<number> {
    const run = await deliveries(this.delivery).prepare();
    const startedAt = performance.now();
    const { units = 0 } = await run();
    return (units * 1_000) / (performance.now() - startedAt);
  }

  private ended(): Promise<void> {
    return allEnded(this.delivery.pool, this.stack);
  }
}

/** One build: its api on the database with many calls, beside no dialer that would dial those which the benchmark creates, and its service. */
export class GateSubject {
  private service: Promise<GateService> | undefined;

  private constructor(
    private readonly build: string,
    private readonly environment: ScaleEnvironment,
    private readonly api: Peer,
    private readonly requests: Requests,
  ) {}

  /** @param build a `dist` folder. @param callsUrl a database with calls */
  static async start(
    build: string,
    environment: ScaleEnvironment,
    callsUrl: string,
    requests: Requests,
  ): Promise<GateSubject> {
    const module = pathToFileURL(join(build, 'apps/api/src/main.js')).href;
    const settings = { HEALTH_PORT: '0' };
    const api = await startPeer({ name: build, module, databaseUrl: callsUrl, execArgv: collectorOf('api'), settings });
    return new GateSubject(build, environment, api, requests);
  }

  readonly measures: Measures = {
    one: () => load(this.api.port, this.requests.one, API_MS),
    slice: () => load(this.api.port, this.requests.slice, API_MS),
    create: () => load(this.api.port, this.requests.create, API_MS),
    setup: async () => (await this.running()).callSetUp(),
    calls: async () => (await this.running()).agentCalls(),
    webhooks: async () => (await this.running()).deliveries(),
    start: () => this.started((stack) => cpuOfTrees(pidsOfAll(stack))),
    memory: () => this.memoryMb(),
  };

  async close(): Promise<void> {
    await this.api.stop();
    await (await this.service)?.close();
  }

  /** Started by the first row that needs it: the rows of the api have the machine for themselves. */
  private running(): Promise<GateService> {
    this.service ??= GateService.start(this.build, this.environment);
    return this.service;
  }

  /** Resident memory of the three processes together, in MB. */
  private memoryMb(): Promise<number> {
    return this.started(async (stack) => {
      await delay(IDLE_MS);
      return residentMb(pidsOfAll(stack));
    });
  }

  /** Starts three processes on an empty database. */
  private async started(measure: (stack: Stack) => Promise<number>): Promise<number> {
    const database = await this.environment.database();
    const stack = await this.environment.stack({
      database,
      build: this.build,
      execArgv: collectorOf,
      // In PostgreSQL, as `npm start` has it.
      queueUrl: '',
    });
    try {
      return await measure(stack);
    } finally {
      await stack.stop();
    }
  }
}

const pidsOfAll = (stack: Stack): number[] => ROLES.flatMap((role) => pidsOf(stack, role));

export async function residentMb(pids: readonly number[]): Promise<number> {
  const all = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'latin1')));
  return all.reduce((sum, status) => sum + Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024, 0);
}
