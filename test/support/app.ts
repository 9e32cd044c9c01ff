import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import request from 'supertest';
import { createTestDatabase } from './database.js';

const MAIN = 'dist/apps/api/src/main.js';

/** The built api, in its production configuration, without worker and dialer on a database of its own: what it queues stays queued. */
export class TestApi {
  private constructor(
    readonly port: number,
    /** Another pool on the same database. */
    readonly pool: Pool,
    readonly home: string,
    readonly databaseUrl: string,
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start(variables: Record<string, string> = {}): Promise<TestApi> {
    const database = await createTestDatabase();
    const home = await mkdtemp(join(tmpdir(), 'trunkline-api-'));
    const { PATH, HOME, TMPDIR } = process.env;
    const env = {
      ...{ PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }) },
      DATABASE_URL: database.url,
      DATABASE_POOL: '4',
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      TRUNKLINE_HOME: home,
      LOG_LEVEL: 'silent',
      HOST: '127.0.0.1',
      PORT: '0',
      SIP_ALLOW_CIDRS: '127.0.0.0/8',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      ...variables,
    };
    const child = fork(MAIN, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const pool = new Pool({ connectionString: env.DATABASE_URL, max: 4 });
    const dispose = async (): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      }
      await pool.end();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    };
    try {
      return new TestApi(await readyPort(child), pool, home, env.DATABASE_URL, dispose);
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Requests with a token, or without one. */
  as(token?: string) {
    const agent = request.agent(this.baseUrl);
    return token === undefined ? agent : agent.set('Authorization', `Bearer ${token}`);
  }

  stop(): Promise<void> {
    return this.dispose();
  }
}

function readyPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: { type?: string; port?: number }) => {
      if (message.type === 'ready' && message.port !== undefined) resolve(message.port);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The api ended with ${code} before it was ready.`)));
  });
}
