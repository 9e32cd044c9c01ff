import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from './eventually.js';
import { freePort } from './free-port.js';

export interface RedisServer {
  url: string;
  stop(): Promise<void>;
  /** SIGKILL: its data is lost. */
  kill(): Promise<void>;
}

/** A redis-server for one test, on `port` or a free port, without persistence. */
export async function openRedis(at?: number): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-redis-'));
  const port = at ?? (await freePort());
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    folder,
    '--maxmemory-policy',
    'noeviction',
  ];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await readyLine(server.stdout);
  server.stdout.resume();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

async function readyLine(output: NodeJS.ReadableStream): Promise<void> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  for (let text = ''; !text.includes('Ready to accept connections');) {
    const [chunk] = (await once(output, 'data', { signal: timeout })) as [Buffer];
    text += chunk.toString();
  }
}
