import { migrate } from '@app/database';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import type { TestDatabase } from '../test/support/database.js';
import { isInstalled } from '../test/support/programs.js';
import { openRedis, type RedisServer } from '../test/support/redis.js';
import { Stack, type Role, type StackOptions } from '../test/support/stack.js';

/** One PostgreSQL, flushed to disk as in production unless BENCH_DURABLE is `false`, and Redis for the queue if it is installed. */
export class ScaleEnvironment {
  private databases = 0;

  private constructor(
    private readonly home: string,
    private readonly server: EmbeddedPostgres,
    private readonly redis: RedisServer | undefined,
  ) {}

  static async open({ durable = process.env.BENCH_DURABLE !== 'false' } = {}): Promise<ScaleEnvironment> {
    const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
    // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
    chmodSync(home, 0o711);
    const server = await startEmbeddedPostgres({ home, durable });
    return new ScaleEnvironment(home, server, isInstalled('redis-server') ? await openRedis() : undefined);
  }

  get postgresPid(): number {
    return this.server.pid;
  }

  get queue(): string {
    return this.redis ? 'Redis' : 'PostgreSQL';
  }

  /** Number of the latest database; each has its own Redis database. */
  get queueUrl(): string | undefined {
    return this.redis && `${this.redis.url}/${this.databases}`;
  }

  async emptyDatabase(): Promise<TestDatabase> {
    const name = `scale_${++this.databases}`;
    await this.onServer(`CREATE DATABASE ${name}`);
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return { url: url.href, drop: () => this.onServer(`DROP DATABASE ${name} WITH (FORCE)`) };
  }

  async database(): Promise<TestDatabase> {
    const made = await this.emptyDatabase();
    await migrate(made.url);
    return made;
  }

  /** Runs processes on a separate database, which is dropped afterwards. */
  async stack({ env, ...options }: StackOptions & { database: TestDatabase }): Promise<Stack> {
    const quiet = { LOG_LEVEL: process.env.BENCH_LOG ?? 'fatal', REQUESTS_PER_MINUTE: '100000000' };
    return Stack.start({ queueUrl: this.queueUrl, ...options, env: { ...quiet, ...env } });
  }

  async close(): Promise<void> {
    await this.redis?.stop();
    await this.server.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  private async onServer(statement: string): Promise<void> {
    const client = new Client({ connectionString: this.server.url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

export const pidsOf = (stack: Stack, role: Role): number[] =>
  stack.processes.filter((one) => one.role === role).map(({ child }) => child.pid ?? 0);

/** Throws when a process has ended: a dialer without CPU time for ten seconds loses its lease and exits. */
export function assertRunning({ processes }: Stack): void {
  const gone = processes.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
  if (gone) throw new Error(`A ${gone.role} ended with ${gone.child.exitCode ?? gone.child.signalCode} by itself.`);
}

/** Starts or ends processes of a role until `count` run; the oldest stay. @returns the number of started processes */
export async function resize(stack: Stack, role: Role, count: number): Promise<number> {
  assertRunning(stack);
  const running = stack.processes.filter((one) => one.role === role);
  await Promise.all(running.slice(count).map((one) => stack.retire(one)));
  const missing = Math.max(0, count - running.length);
  await Promise.all(Array.from({ length: missing }, () => stack.add(role)));
  return missing;
}
