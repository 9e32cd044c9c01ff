import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SinkTells, SinkTold } from './webhook-sink.js';

/** The receivers of webhook-sink.ts as those see them who wait for what arrives there. */
export class SinkProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly urls: string[],
    readonly slowUrl: string,
  ) {}

  static async start(): Promise<SinkProcess> {
    const child = fork(fileURLToPath(new URL('./webhook-sink.js', import.meta.url)), { execArgv: [] });
    const [told] = (await once(child, 'message')) as [Extract<SinkTells, { ports: number[] }>];
    const url = (port: number) => `http://127.0.0.1:${port}`;
    return new SinkProcess(child, told.ports.map(url), url(told.slowPort));
  }

  /** When the last of `count` requests from now on has arrived. */
  async all(count: number): Promise<number> {
    this.child.send({ expect: count } satisfies SinkTold);
    for (;;) {
      const [told] = (await once(this.child, 'message')) as [SinkTells];
      if ('all' in told) return told.all;
    }
  }

  /** When the delivery arrived. */
  async arrival(id: string): Promise<number> {
    for (;;) {
      const [told] = (await once(this.child, 'message')) as [SinkTells];
      if ('id' in told && told.id === id) return told.at;
    }
  }

  stop(): void {
    this.child.disconnect();
  }
}
