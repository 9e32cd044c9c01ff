import { Pool } from 'pg';
import request from 'supertest';
import { type CommandOutcome, commandOutcome, runBuiltCommand } from './built-command.js';
import { aWorkspace, type Workspace } from './factories.js';
import type { RunningService } from './running-service.js';

/**
 * The one service of the run: the built api, worker, dialer and sandbox phone, as `npm start` runs them, which the global setup has started. Test
 * files share it, each with accounts of its own: what one account does is not seen by another one.
 */
export class Service {
  private opened: Pool | undefined;

  private constructor(private readonly running: RunningService) {}

  static get(): Service {
    const json = process.env.TRUNKLINE_TEST_SERVICE;
    if (!json)
      throw new Error('The service is started by test/support/stories-setup.ts: run this test in the e2e project.');
    return new Service(JSON.parse(json) as RunningService);
  }

  get baseUrl(): string {
    return this.running.baseUrl;
  }

  /** `sip:<extension>@127.0.0.1:<sandboxPort>` is answered by the sandbox phone: `answer`, `busy`, `no_answer`, `reject`, `voicemail`, `dtmf_menu`. */
  get sandboxPort(): number {
    return this.running.sandboxPort;
  }

  /** Where the dialer takes calls. */
  get sipPort(): number {
    return this.running.sipPort;
  }

  get databaseUrl(): string {
    return this.running.databaseUrl;
  }

  /** The address of the health checks and metrics of a process. */
  healthUrl(role: 'api' | 'worker' | 'dialer'): string {
    return `http://127.0.0.1:${this.running.healthPort + ['api', 'worker', 'dialer'].indexOf(role)}`;
  }

  /** The browser of the run, in which each file has a context of its own; undefined without Chromium. */
  get browserEndpoint(): string | undefined {
    return this.running.browserEndpoint;
  }

  /** For accounts, and rows that no request creates. */
  get pool(): Pool {
    this.opened ??= new Pool({ connectionString: this.databaseUrl, max: 2 });
    return this.opened;
  }

  /** A new account with an agent, a number, a trunk and a token with all scopes. `account`: columns of its row. */
  account(account: Record<string, unknown> = {}): Promise<Workspace> {
    return aWorkspace(this.pool, account);
  }

  /** Requests with a token, or without one. */
  as(token?: string) {
    const agent = request.agent(this.baseUrl);
    return token === undefined ? agent : agent.set('Authorization', `Bearer ${token}`);
  }

  /** Runs a command of the command line on this installation. @returns its standard output */
  command(words: readonly string[], input?: string): Promise<string> {
    return runBuiltCommand(words, this.running.env, { input });
  }

  /** The same with its exit code, for commands that may fail. `variables`: instead of those of the installation. */
  outcome(words: readonly string[], variables: NodeJS.ProcessEnv = {}, input?: string): Promise<CommandOutcome> {
    return commandOutcome(words, { ...this.running.env, ...variables }, { input });
  }

  async close(): Promise<void> {
    await this.opened?.end();
  }
}
