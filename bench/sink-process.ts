import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SinkMessage, SinkTold } from './webhook-sink.js';

/** Controls the receivers of webhook-sink.ts and waits for their messages. */
export class SinkProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly urls: string[],
    readonly slowUrl: string,
  ) {}

  static async start(): Promise<SinkProcess> {
    const child = fork(fileURLToPath(new URL('./webhook-sink.js', import.meta.url)), { execArgv: [] });
    const [message] = (await once(child, 'message')) as [Extract<SinkMessage, { ports: number[] }>];
    const url = (port: number) => `http://127.0.0.1:${port}`;
    return new SinkProcess(child, message.ports.map(url), url(message.slowPort));
  }

  /** Arrival time of the last of the next `count` requests. */
  async all(count: number): Promise<number> {
    this.child.send({ expect: count } satisfies SinkTold);
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [SinkMessage];
      if ('all' in message) return message.all;
    }
  }

  /** Arrival time of the delivery. */
  async arrival(id: string): Promise<number> {
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [SinkMessage];
      if ('id' in message && message.id === id) return message.at;
    }
  }

  stop(): void {
    this.child.disconnect();
  }
}
