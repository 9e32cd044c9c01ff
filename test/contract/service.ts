import { runBuiltCommand } from '../support/built-command.js';
import { type StartedService, startService } from '../support/running-service.js';

/** The settings that the stored answers depend on. */
const SETTINGS = { PUBLIC_URL: 'http://trunkline.test', ANALYSIS_MODEL: 'none', EMBEDDINGS_PROVIDER: 'none' };

/** The built service as `npm start` runs it: api, worker, dialer, sandbox phone and an embedded PostgreSQL, in a folder of its own. */
export class ContractService {
  private constructor(
    private readonly running: StartedService,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<ContractService> {
    const { running, stop } = await startService(SETTINGS);
    return new ContractService(running, stop);
  }

  get baseUrl(): string {
    return this.running.baseUrl;
  }

  get sandboxPort(): number {
    return this.running.sandboxPort;
  }

  /** Runs a command of the command line on this installation. @returns its standard output */
  command(words: readonly string[], input?: string): Promise<string> {
    return runBuiltCommand(words, this.running.env, { input });
  }
}
