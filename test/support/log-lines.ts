import { EventEmitter, once } from 'node:events';
import { pino } from 'pino';
import type { Log } from '@app/common';

export type LogLine = { level: number; msg: string } & Record<string, unknown>;

/** A log whose lines tests can wait for. */
export class LogLines {
  readonly lines: LogLine[] = [];
  readonly log: Log;
  private readonly written = new EventEmitter();

  constructor() {
    this.written.setMaxListeners(0);
    const write = (text: string): void => {
      this.lines.push(JSON.parse(text) as LogLine);
      this.written.emit('line');
    };
    this.log = pino({ level: 'debug' }, { write });
  }

  /** Resolves with the first line that has these fields, existing or future. */
  async first(fields: Record<string, unknown>): Promise<LogLine> {
    const fits = (line: LogLine) => Object.entries(fields).every(([name, value]) => line[name] === value);
    for (;;) {
      const found = this.lines.find(fits);
      if (found) return found;
      await once(this.written, 'line');
    }
  }
}
