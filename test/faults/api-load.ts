import { TrunklineError } from '@app/client';
import { setTimeout as delay } from 'node:timers/promises';
import { apiOf } from '../support/api-client.js';
import type { Stack } from '../support/stack.js';
import type { TestAccount } from '../support/workspace.js';

export interface ApiLoadOptions {
  /** Destinations, in turn. */
  destinations: string[];
  /** Destinations of one request. */
  perRequest: number;
  pauseMs: number;
  /** URL of a balancer; default: the first api. */
  baseUrl?: string;
}

const LANES = 2;

/** Clients that create calls and continue after any response. */
export class ApiLoad {
  /** Ids of calls with a 201. */
  readonly acknowledged: string[] = [];
  /** Number of responses by status; 0: no response. */
  readonly answers = new Map<number, number>();
  /** performance.now() of the last 201. */
  lastCreatedAt = 0;
  private stopped = false;
  private posted = 0;
  private readonly options: ApiLoadOptions;
  private readonly lanes: Promise<void>[];

  constructor(
    private readonly stack: Stack,
    private readonly account: TestAccount,
    options: Partial<ApiLoadOptions>,
  ) {
    this.options = { destinations: ['sip:nobody@127.0.0.1:9'], perRequest: 1, pauseMs: 50, ...options };
    this.lanes = Array.from({ length: LANES }, () => this.lane());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.lanes);
  }

  /** Statuses other than 201. */
  get refusals(): number[] {
    return [...this.answers.keys()].filter((status) => status !== 201);
  }

  private async lane(): Promise<void> {
    while (!this.stopped) {
      const status = await this.order().catch((error: unknown) => (error instanceof TrunklineError ? error.status : 0));
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      await delay(this.options.pauseMs);
    }
  }

  private async order(): Promise<number> {
    const api = apiOf({ baseUrl: this.options.baseUrl ?? this.stack.baseUrl }, this.account);
    const calls = await api.createCalls({ to_number: this.next(), record: false });
    this.acknowledged.push(...calls.map((call) => call.call_id));
    this.lastCreatedAt = performance.now();
    return 201;
  }

  private next(): string[] {
    const { destinations, perRequest } = this.options;
    return Array.from({ length: perRequest }, () => destinations[this.posted++ % destinations.length]!);
  }
}
