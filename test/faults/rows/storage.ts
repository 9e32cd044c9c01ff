import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TrunklineError } from '@app/client';
import S3rver from 's3rver';
import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import type { TestAccount } from '../../support/workspace.js';
import { Tmpfs } from '../../support/tmpfs.js';
import { FaultEnvironment, type FaultEnvironmentOptions } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';

const TALK_MS = 1_500;
const AWAY_MS = 5_000;
const CALLS = 5;
const PATIENCE_MS = 60_000;
const STORAGE_MB = 4;

interface Recorded {
  status: string;
  stored: boolean;
  error: string | null;
}

/** Runs `work` with recorded calls to an answering phone. */
async function withCalls(
  options: FaultEnvironmentOptions,
  work: (environment: FaultEnvironment, account: TestAccount, call: () => Promise<Recorded[]>) => Promise<Findings>,
): Promise<Findings> {
  const callee = await CountingCallee.start('127.0.0.1', TALK_MS);
  try {
    return await FaultEnvironment.with({ apis: 1, dialers: 1, workers: 1, ...options }, async (environment) => {
      const account = await environment.customer();
      return work(environment, account, () => calls(environment, account, callee));
    });
  } finally {
    await callee.close();
  }
}

/** Places calls and waits until all have their final state. */
async function calls(environment: FaultEnvironment, account: TestAccount, callee: CountingCallee): Promise<Recorded[]> {
  const to_number = Array.from({ length: CALLS }, (_, n) => callee.uri(2 * (callee.dialogs.size + n) + 1));
  const placed = await apiOf(environment.stack, account).createCalls({ to_number, record: true });
  const text = `SELECT status, recording_key IS NOT NULL AS stored, recording_error AS error FROM calls
      WHERE id = ANY ($1) AND ended_at IS NOT NULL`;
  const ids = placed.map((call) => call.call_id);
  const look = async () => (await environment.pool.query<Recorded>(text, [ids])).rows;
  return eventually(look, (found) => found.length === CALLS, PATIENCE_MS);
}

const leftOvers = (environment: FaultEnvironment): Promise<string[]> =>
  readdir(join(environment.stack.home, 'tmp', 'recordings'));

/** An S3 server that can stop and restart on the same address. */
class Bucket {
  private front?: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: S3rver,
    private readonly folder: string,
    private readonly behind: number,
    readonly port: number,
  ) {}

  static async open(): Promise<Bucket> {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-s3-'));
    const configureBuckets = [{ name: 'trunkline' }];
    const server = new S3rver({ port: 0, address: '127.0.0.1', directory: folder, silent: true, configureBuckets });
    const { port } = await server.run();
    const bucket = new Bucket(server, folder, port, await freePort());
    await bucket.comeBack();
    return bucket;
  }

  get env(): Record<string, string> {
    const url = `s3://trunkline/pre?endpoint=http://127.0.0.1:${this.port}&path_style=true&region=us-east-1`;
    return { STORAGE_URL: url, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  }

  async comeBack(): Promise<void> {
    this.front = createServer((near) => {
      const far = connect(this.behind, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => this.sockets.delete(one) && other.destroy());
        one.pipe(other);
      }
    }).listen(this.port, '127.0.0.1');
    await once(this.front, 'listening');
  }

  async goAway(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.front?.close(resolve));
  }

  async close(): Promise<void> {
    await this.goAway();
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function gone(): Promise<Findings> {
  const bucket = await Bucket.open();
  try {
    return await withCalls({ env: bucket.env }, async (environment, _account, call) => {
      await bucket.goAway();
      const calling = call();
      await environment.sink.until(
        () => environment.sink.arrivals.some(({ body }) => body.includes('"in-progress"')),
        PATIENCE_MS,
      );
      await delay(TALK_MS + AWAY_MS);
      await bucket.comeBack();
      const recorded = await calling;
      const kept = recorded.filter(({ status, stored }) => status === 'completed' && stored).length;
      const left = await leftOvers(environment);
      const missed = [
        ...(kept < CALLS ? [`${CALLS - kept} recordings were lost`] : []),
        ...(left.length > 0 ? [`${left.length} files left over`] : []),
      ];
      return environment.findings(missed, `${kept} of ${CALLS} recordings kept`);
    });
  } finally {
    await bucket.close();
  }
}

/** Uploads and recordings on a full disk, and afterwards. */
async function full(): Promise<Findings> {
  const disk = Tmpfs.mount(STORAGE_MB);
  try {
    return await withCalls({ env: { STORAGE_URL: `file:${disk.folder}` } }, async (environment, account, call) => {
      const client = new KnowledgeClient(environment.stack, account);
      const before = await client.file('before.md', '# Before\n\nThe first one.');
      disk.fill();
      const refused = await client.file('while.md', `# While\n\n${'word '.repeat(20_000)}`).then(
        () => 201,
        (error: TrunklineError) => error.status,
      );
      const unrecorded = await call();
      disk.free();
      const after = await client.file('after.md', '# After\n\nThe last one.');
      const recorded = await call();
      const state = async () => [(await client.get(before.id)).status, (await client.get(after.id)).status];
      await eventually(state, (states) => states.every((one) => one === 'completed'), PATIENCE_MS);
      const missed = [
        ...(refused === 503 ? [] : [`an upload was answered with ${refused}`]),
        ...(unrecorded.every(({ status, error }) => status === 'completed' && error)
          ? []
          : ['a lost recording is not reported']),
        ...(recorded.every(({ stored }) => stored) ? [] : ['recordings are still not stored']),
        ...(await leftOvers(environment)).map(() => 'a recording was left over'),
      ];
      return environment.findings(missed, 'the calls report their lost recordings');
    });
  } finally {
    disk.unmount();
  }
}

export const STORAGE: Row[] = [
  {
    name: 'disk-full-storage',
    fault: 'full disk of uploads and recordings (tmpfs)',
    times: 1,
    bar: () => ({ duplicates: 0, also: '503 to uploads, calls complete and say it, heals by itself' }),
    skip: () => Tmpfs.missing(),
    run: full,
  },
  {
    name: 'storage-gone',
    fault: 'S3 down for 5 s when recorded calls end',
    times: 1,
    bar: () => ({ duplicates: 0, also: 'every recording kept' }),
    run: gone,
  },
];
