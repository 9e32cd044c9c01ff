import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

const TIMEOUT_MS = 2_000;

/** Decides whether load balancers may send requests to this process. */
@Injectable()
export class ReadinessService {
  private stopping = false;
  private migrated = false;

  constructor(private readonly database: Database) {}

  /** Reports not ready from now on: load balancers send no more requests while current ones complete. */
  stop(): void {
    this.stopping = true;
  }

  /** The reasons why the process is not ready; empty when it is. */
  async reasons(): Promise<string[]> {
    if (this.stopping) return ['the process is shutting down'];
    return withTimeout(TIMEOUT_MS, this.databaseReasons(), ['the database does not answer']);
  }

  /** Migrations are checked until they are complete; later checks only ping the database. */
  private async databaseReasons(): Promise<string[]> {
    if (this.migrated) return this.database.reasonsNotReady();
    try {
      this.migrated = await this.database.isMigrated();
      return this.migrated ? [] : ['the database is not migrated to this release'];
    } catch {
      return ['the database does not answer'];
    }
  }
}

/** The result of `work`, or `fallback` when it takes longer than `ms`. */
async function withTimeout<T>(ms: number, work: Promise<T>, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
