import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { apiOf } from '../test/support/api-client.js';
import type { Stack } from '../test/support/stack.js';
import { createWebCall } from '../test/support/resuming-page.js';
import { createAccount, type TestAccount } from '../test/support/workspace.js';
import { AgentCallee } from './agent-callee.js';
import { cpuOfTrees } from './cpu.js';
import { allEnded } from './scale-dialer.js';
import { pidsOf, ScaleEnvironment } from './scale-environment.js';
import { percentile } from './scale-rounds.js';
import { table } from './table.js';
import { LoadPage, type PageFormat, type PageResult, WebPages } from './web-page.js';
import type { WebProviderMessage } from './web-provider.js';

export interface WebCallsOptions {
  /** Of the run in which no frame may be lost; 600 for the bar. */
  seconds?: number;
  /** At a time, on one core. */
  calls?: number;
}

const ROUNDS = 3;
const ROUND_MS = 6_000;
const SETTLE_MS = 2_000;
const FRAME_MS = 20;
const LISTENERS = 20;
const CALLS_FOR_CPU = 50;

/**
 * Web calls through api, dialer and media threads as `npm start` runs them. The agents' provider echoes what it hears; pages are WebSocket
 * clients of this process.
 */
export async function run({ seconds = 60, calls = 100 }: WebCallsOptions = {}): Promise<void> {
  const environment = await ScaleEnvironment.open({ durable: false });
  const provider = await EchoProvider.start();
  const callee = await AgentCallee.start(CALLS_FOR_CPU);
  let bench: WebCallsBench | undefined;
  try {
    bench = await WebCallsBench.start(environment, provider, callee);
    await bench.lost(seconds);
    await bench.besideABusyCore();
    await bench.listeners();
    await bench.cpu();
    for (const format of ['pcmu', 'l16'] as const) await bench.onOneCore(calls, format);
  } finally {
    await bench?.close();
    await callee.close();
    provider.stop();
    await environment.close();
  }
}

class WebCallsBench {
  private readonly pages = new WebPages();

  private constructor(
    private readonly stack: Stack,
    private readonly account: TestAccount,
    private readonly pool: Pool,
    private readonly provider: EchoProvider,
    private readonly callee: AgentCallee,
  ) {}

  static async start(
    environment: ScaleEnvironment,
    provider: EchoProvider,
    callee: AgentCallee,
  ): Promise<WebCallsBench> {
    const database = await environment.database();
    const env = {
      REALTIME_URL: provider.url,
      REALTIME_API_KEY: 'k',
      REALTIME_MODEL: 'bench',
      INTERNAL_ADDRESS: '127.0.0.1',
    };
    const stack = await environment.stack({ database, env, execArgv: collectorOf });
    const agent = { provider: 'openai-realtime', greeting: undefined };
    const plan = { name: 'web', agent, concurrentCalls: 1_000, callsPerSecond: 1_000 };
    const account = await createAccount(stack, plan);
    return new WebCallsBench(stack, account, new Pool({ connectionString: database.url, max: 2 }), provider, callee);
  }

  async close(): Promise<void> {
    this.pages.close();
    await this.pool.end();
    await this.stack.stop();
  }

  /** Frames of one call in both directions. */
  async lost(seconds: number): Promise<void> {
    await this.call(1);
    const before = (await this.provider.heard()).heardMs;
    const [result] = await this.pages.measure(seconds * 1_000);
    // What is under way arrives.
    await delay(500);
    const heardMs = sum((await this.provider.heard()).heardMs) - sum(before);
    await this.ended();
    const { sent, received, receivingMs, clicks, roundTrips } = result!;
    // Those under way at either end of the time.
    const lostIn = Math.max(0, sent - 2 - Math.floor(heardMs / 20));
    const lostOut = Math.max(0, Math.round(receivingMs / 20) + 1 - received);
    table(
      [`one call, ${seconds} s`, 'frames', 'lost in', 'lost out', 'echoes missing', 'bar'],
      [['', String(sent), String(lostIn), String(lostOut), String(Math.max(0, clicks - roundTrips.length - 1)), '0']],
    );
  }

  /**
   * From the socket of a page to the conversation and back, while another process uses a core. The frames of a silent user wait for others
   * before they go to the provider, those that may end a turn do not: this wait is the same for each click, and subtracted.
   */
  async besideABusyCore(): Promise<void> {
    const rows: string[][] = [];
    for (const isBusy of [false, true]) {
      const busy = isBusy ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined;
      try {
        await this.call(10);
        const trips = (await this.pages.measure(ROUND_MS * 2)).flatMap(({ roundTrips }) => roundTrips);
        const waitedMs = (await this.provider.heard()).clickMs - FRAME_MS;
        const times = trips.map((trip) => trip - waitedMs);
        const shares = [0.5, 0.95, 0.99].map((p) => ms(times, p));
        rows.push([isBusy ? 'beside a busy core' : 'idle', ...shares, waitedMs.toFixed(0), 'p95 <= 60']);
        await this.ended();
      } finally {
        busy?.kill();
      }
    }
    table(['page to conversation and back, 10 calls, ms', 'p50', 'p95', 'p99', 'waited', 'bar'], rows);
  }

  /** Deviation of the frames of a call from their 20 ms, alone and with listeners, by turns. */
  async listeners(): Promise<void> {
    const [id] = await this.call(1);
    const results = { alone: [] as number[], heard: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      results.alone.push(percentile((await this.pages.measure(ROUND_MS))[0]!.deviations, 0.99));
      const listeners: LoadPage[] = [];
      for (let n = 0; n < LISTENERS; n++) listeners.push(await this.listen(id!, `listener ${n}`));
      await delay(500);
      results.heard.push(percentile((await this.pages.measure(ROUND_MS))[0]!.deviations, 0.99));
      for (const listener of listeners) listener.terminate();
      await delay(500);
    }
    await this.ended();
    table(
      ['frames of a call, deviation from 20 ms, p99 of each round, ms', 'median', 'rounds', 'bar'],
      [
        ['alone', median(results.alone).toFixed(2), results.alone.map((one) => one.toFixed(2)).join(' '), ''],
        [
          `${LISTENERS} listeners`,
          median(results.heard).toFixed(2),
          results.heard.map((one) => one.toFixed(2)).join(' '),
          'unchanged',
        ],
      ],
    );
  }

  /** CPU of a web call and of a SIP call, which is G.711, with the same agent, by turns. */
  async cpu(): Promise<void> {
    const percent = {
      'SIP call, dialer': [] as number[],
      'web call in pcmu, dialer': [] as number[],
      'web call in pcmu, api': [] as number[],
      'web call in l16, dialer': [] as number[],
      'web call in l16, api': [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const format of ['pcmu', 'l16'] as const) {
        await this.call(CALLS_FOR_CPU, format);
        const web = await this.cpuDuring(() => this.pages.measure(ROUND_MS));
        percent[`web call in ${format}, dialer`].push(web.dialer);
        percent[`web call in ${format}, api`].push(web.api);
        await this.ended();
      }
      const to_number = Array.from({ length: CALLS_FOR_CPU }, (_, n) => this.callee.uri(n + round * CALLS_FOR_CPU));
      await apiOf(this.stack, this.account).createCalls({ to_number, record: false });
      await this.callee.untilAnswered(CALLS_FOR_CPU);
      await delay(SETTLE_MS);
      percent['SIP call, dialer'].push((await this.cpuDuring(() => delay(ROUND_MS))).dialer);
      this.callee.hangUp();
      await this.ended();
    }
    const sip = median(percent['SIP call, dialer']);
    const rows = Object.entries(percent).map(([name, all]) => {
      const value = median(all);
      return [name, `${(value / CALLS_FOR_CPU).toFixed(3)} %`, (value / sip).toFixed(2)];
    });
    table([`CPU of a call, ${CALLS_FOR_CPU} at a time, without recording`, 'of a core', 'of a SIP call'], rows);
  }

  /** Api and dialer share one core, the pages have the others. */
  async onOneCore(calls: number, format: PageFormat): Promise<void> {
    const pids = [...pidsOf(this.stack, 'api'), ...pidsOf(this.stack, 'dialer')];
    if (availableParallelism() > 1) {
      for (const pid of pids) pin(pid, '0');
      pin(process.pid, `1-${availableParallelism() - 1}`);
    }
    await this.call(calls, format);
    const rows: string[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      let results: PageResult[] = [];
      const { api, dialer } = await this.cpuDuring(async () => {
        results = await this.pages.measure(ROUND_MS);
      });
      const deviations = results.flatMap((one) => one.deviations);
      const lost = sum(
        results.map(({ receivingMs, received }) => Math.max(0, Math.round(receivingMs / 20) + 1 - received)),
      );
      const cpu = `${(api + dialer).toFixed(0)} %`;
      rows.push([
        `round ${round + 1}`,
        ms(deviations, 0.5),
        ms(deviations, 0.99),
        String(lost),
        cpu,
        'p99 <= 5, 0 lost',
      ]);
    }
    await this.ended();
    table(
      [
        `${calls} calls in ${format} on one core, ms off the 20 ms`,
        'p50',
        'p99',
        'lost',
        'CPU of api and dialer',
        'bar',
      ],
      rows,
    );
  }

  /** CPU in percent of a core. */
  private async cpuDuring(work: () => Promise<unknown>): Promise<{ api: number; dialer: number }> {
    const roles = ['api', 'dialer'] as const;
    const used = () => Promise.all(roles.map((role) => cpuOfTrees(pidsOf(this.stack, role))));
    const [startedAt, before] = [performance.now(), await used()];
    await work();
    const after = await used();
    const [api = 0, dialer = 0] = after.map((ms, n) => ((ms - before[n]!) * 100) / (performance.now() - startedAt));
    return { api, dialer };
  }

  /** Begins calls, one after the other. @returns their ids */
  private async call(count: number, format: PageFormat = 'l16'): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const { callId, ...access } = await createWebCall(this.stack, this.account, { record: false });
      this.pages.add(await LoadPage.open(access, { format }));
      ids.push(callId);
    }
    await delay(SETTLE_MS);
    return ids;
  }

  private listen(id: string, name: string): Promise<LoadPage> {
    const url = `${this.stack.baseUrl.replace('http', 'ws')}/api/v1/calls/${id}/audio?name=${encodeURIComponent(name)}`;
    return LoadPage.open({ url, token: this.account.token }, { speaks: false });
  }

  private async ended(): Promise<void> {
    await this.pages.hangUp();
    await allEnded(this.pool, this.stack);
  }
}

/** The voice provider, in a process of its own. */
class EchoProvider {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<EchoProvider> {
    const child = fork(new URL('./web-provider.js', import.meta.url));
    const [message] = (await once(child, 'message')) as [WebProviderMessage];
    return new EchoProvider(child, 'url' in message ? message.url : '');
  }

  async heard(): Promise<{ heardMs: number[]; clickMs: number }> {
    this.child.send('heard');
    const [message] = (await once(this.child, 'message')) as [WebProviderMessage];
    return 'heardMs' in message ? message : { heardMs: [], clickMs: 0 };
  }

  stop(): void {
    this.child.kill();
  }
}

/** Lets all threads of a process run on these processors only. */
const pin = (pid: number, processors: string): void =>
  void execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)], { stdio: 'ignore' });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const ms = (times: readonly number[], share: number): string =>
  times.length === 0 ? 'none' : percentile([...times], share).toFixed(2);
