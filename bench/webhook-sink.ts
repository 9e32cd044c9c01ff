import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the sink is told, and what it tells. Times are of the monotonic clock that all processes share, in ms. */
export type SinkTold = { expect: number };
export type SinkTells = { ports: number[]; slowPort: number } | { all: number } | { id: string; at: number };

const PORTS = 4;
/** What hangs is answered when the sender has given up. */
const SLOW_MS = 20_000;

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const tell = (message: SinkTells): void => void process.send?.(message);

/** Receivers in a process of their own: four ports that answer at once, and one that is too slow. */
async function main(): Promise<void> {
  let left = 0;
  const received = (id: string | undefined): void => {
    if (id !== undefined && left === 0) tell({ id, at: monotonicMs() });
    else if (--left === 0) tell({ all: monotonicMs() });
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
  tell({ ports, slowPort: await listen(SLOW_MS) });
}

// Leaves with its parent.
if (process.send) {
  process.on('disconnect', () => process.exit(0));
  await main();
}
