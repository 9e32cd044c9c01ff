import type { Log } from '@app/common';
import type { LoggerService } from '@nestjs/common';

/** What the framework itself has to say goes into the log of the process; its chatter only at `debug`. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ detail: [message, ...rest] }, 'framework');
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ detail: [message, ...rest] }, 'framework warning');
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error({ detail: [message, ...rest] }, 'framework error');
  }
}
