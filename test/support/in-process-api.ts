import { createLog, loadEnv } from '@app/common';
import { Database } from '@app/database';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import request from 'supertest';
import { createApp } from '../../apps/api/src/configure-app.js';
import { createTestDatabase } from './database.js';

/** The api in its production configuration, in this process, on a separate database. */
export class InProcessApi {
  private constructor(
    readonly app: NestExpressApplication,
    readonly server: Server,
    /** The pool of the application, whose statements can be counted. */
    readonly pool: Pool,
    readonly home: string,
    readonly databaseUrl: string,
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start(variables: Record<string, string> = {}): Promise<InProcessApi> {
    const database = await createTestDatabase();
    const home = await mkdtemp(join(tmpdir(), 'trunkline-api-'));
    const env = loadEnv({
      DATABASE_URL: database.url,
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      TRUNKLINE_HOME: home,
      LOG_LEVEL: 'silent',
      SIP_ALLOW_CIDRS: '127.0.0.0/8',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      ...variables,
    });
    const app = await createApp(env, createLog({ level: env.LOG_LEVEL, role: 'api' }));
    await app.listen(0, '127.0.0.1');
    const server: Server = app.getHttpServer();
    return new InProcessApi(app, server, app.get(Database).pool, home, database.url, async () => {
      await app.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    });
  }

  /** Requests with a token, or without one. */
  as(token?: string) {
    const agent = request.agent(this.server);
    return token === undefined ? agent : agent.set('Authorization', `Bearer ${token}`);
  }

  stop(): Promise<void> {
    return this.dispose();
  }
}
