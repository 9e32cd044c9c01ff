import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { scheduleJobs } from './job-schedules.js';
import { queueOptions } from './queue-options.js';
import { Queue, Worker } from 'bullmq';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../test/support/free-port.js';
import { startProgram, type Program } from '../../../test/support/programs.js';
import { suiteWith } from '../../../test/support/suite-with.js';

const suite = suiteWith(['redis-sentinel', 'redis-cli']);

let folder: string;
const programs: Program[] = [];

async function redis(...options: string[]): Promise<number> {
  const port = await freePort();
  const own = mkdtempSync(join(folder, 'redis-'));
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', own, ...options];
  programs.push(await startProgram('redis-server', args, port));
  return port;
}

const ask = (port: number, ...words: string[]): string =>
  execFileSync('redis-cli', ['-p', `${port}`, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** A job through a queue and a worker of one address, as `wake` does it. Resolves with its name. */
async function throughQueue(url: string): Promise<string> {
  const options = queueOptions({ QUEUE_URL: url });
  const name = `wake-${Math.random()}`;
  const queue = new Queue('dial', options);
  queue.on('error', () => undefined);
  let worker: Worker | undefined;
  const done = new Promise<string>((resolve) => {
    worker = new Worker('dial', (job) => Promise.resolve(job.name === name && resolve(name)), options);
    worker.on('error', () => undefined);
  });
  try {
    await queue.add(name, {}, { deduplication: { id: name, keepLastIfActive: true }, removeOnComplete: true });
    return await done;
  } finally {
    await Promise.all([worker?.close(), queue.close()]);
  }
}

suite('the queue', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-redis-'));
    chmodSync(folder, 0o755);
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('uses the server that the Sentinels report', async () => {
    const main = await redis('--requirepass', 'secret');
    const port = await freePort();
    const config = join(folder, 'sentinel.conf');
    const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `sentinel monitor calls 127.0.0.1 ${main} 1`];
    writeFileSync(config, `${[...lines, 'sentinel auth-pass calls secret'].join('\n')}\n`);
    programs.push(await startProgram('redis-sentinel', [config], port));
    const nobody = await freePort();
    await throughQueue(`redis+sentinel://:secret@127.0.0.1:${nobody},127.0.0.1:${port}/calls/2`);
    expect(ask(main, '-a', 'secret', '-n', '2', 'keys', 'bull:dial:meta')).toBe('bull:dial:meta');
  });

  it('works on a Redis Cluster, with all keys of a queue on one node', async () => {
    const nodes = await Promise.all(
      [1, 2, 3].map(() => redis('--cluster-enabled', 'yes', '--cluster-node-timeout', '2000')),
    );
    const addresses = nodes.map((port) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'ignore' });
    expect(await throughQueue(`redis+cluster://${addresses.slice(1).join(',')}`)).toMatch(/^wake-/);
    const holders = nodes.filter((port) => ask(port, 'keys', '{trunkline}:dial:*') !== '');
    expect(holders).toHaveLength(1);
  });

  it('works on a single server again in the same process', async () => {
    const port = await redis();
    await throughQueue(`redis://127.0.0.1:${port}`);
    expect(ask(port, 'keys', '*')).toContain('bull:dial:meta');
  });

  it('has its jobs planned again that a process with a clock an hour ahead has planned', async () => {
    const queue = new Queue('dial', queueOptions({ QUEUE_URL: `redis://127.0.0.1:${await redis()}` }));
    try {
      const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
      await scheduleJobs(queue, { unit: 60_000 });
      ahead.mockRestore();
      await scheduleJobs(queue, { unit: 60_000 });
      const [planned] = await queue.getJobSchedulers();
      expect(planned!.next).toBeLessThanOrEqual(Date.now() + 60_000);
    } finally {
      await queue.close();
    }
  });
});
