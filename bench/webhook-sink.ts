import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicMs } from './monotonic-clock.js';

/** Messages to and from the sink. Times are ms of the monotonic clock that all processes share. */
export type SinkTold = { expect: number };
export type SinkMessage = { ports: number[]; slowPort: number } | { all: number } | { id: string; at: number };

const PORTS = 4;
/** Slow requests are answered after the sender has given up. */
const SLOW_MS = 20_000;

const send = (message: SinkMessage): void => void process.send?.(message);

/** Receivers in a separate process: four ports that respond at once, and one that is too slow. */
async function main(): Promise<void> {
  let left = 0;
  const received = (id: string | undefined): void => {
    if (id !== undefined && left === 0) send({ id, at: monotonicMs() });
    else if (--left === 0) send({ all: monotonicMs() });
  };
  process.on('message', ({ expect }: SinkTold) => (left = expect));
  const listen = async (answerMs: number): Promise<number> => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        if (answerMs === 0) received(request.headers['webhook-id'] as string | undefined);
        if (answerMs === 0) response.end('ok');
        else setTimeout(() => response.end('ok'), answerMs).unref();
      });
    });
    server.keepAliveTimeout = 60_000;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const ports = await Promise.all(Array.from({ length: PORTS }, () => listen(0)));
  send({ ports, slowPort: await listen(SLOW_MS) });
}

// Exits with its parent.
if (process.send) {
  process.on('disconnect', () => process.exit(0));
  await main();
}
