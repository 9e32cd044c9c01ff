import { mkdtemp, rm, stat } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  LocalMediaHost,
  MediaPool,
  type AudioListener,
  type AudioTask,
  type LegAudio,
  type MediaHost,
  type PortRange,
} from '@app/telephony';
import { tasks } from '../../support/media-test-tasks.mjs';
import { openTestPool } from '../../support/media-pool.js';
import { suiteWith } from '../../support/suite-with.js';

const log = { debug: () => undefined, warn: () => undefined };
const PORTS = { min: 12_000, max: 12_399 };
const open: MediaHost[] = [];

afterEach(() => Promise.all(open.splice(0).map((host) => host.close())));

async function pool(threads: number, ports: PortRange = PORTS): Promise<MediaPool> {
  const opened = await openTestPool(threads, ports);
  open.push(opened);
  return opened;
}

async function local(): Promise<MediaHost> {
  const host = new LocalMediaHost({ media: { bindAddress: '127.0.0.1', ports: PORTS }, tasks, log });
  open.push(host);
  return host;
}

const nothing = (): AudioListener => ({
  onDtmf: () => undefined,
  onTimeout: () => undefined,
  onLost: () => undefined,
});

function towards(to: LegAudio): Parameters<LegAudio['start']>[0] {
  const { localAddress: address, localPort: port } = to;
  return { address, port, codec: 'PCMU', payloadType: 0, dtmfPayloadType: 101, sendAudio: true };
}

/** Two legs that are connected to each other. */
async function line(host: MediaHost): Promise<[LegAudio, LegAudio]> {
  const [a, b] = await Promise.all([host.open({ legId: 'a' }, nothing()), host.open({ legId: 'b' }, nothing())]);
  a.start(towards(b));
  b.start(towards(a));
  return [a, b];
}

const messageOf = (task: AudioTask): Promise<unknown> => new Promise((resolve) => task.onMessage(resolve));

async function report(task: AudioTask): Promise<{ heard: number; keys: string }> {
  const message = messageOf(task);
  task.post('report');
  return (await message) as { heard: number; keys: string };
}

describe.each([
  ['in this thread', local],
  ['in worker threads', () => pool(2)],
])('the audio of legs %s', (_, start) => {
  it('runs tasks, which hear each other and get their messages in order', async () => {
    const [a, b] = await line(await start());
    const talker = a.attach('talk', { tellAt: 20 });
    const listener = b.attach('talk', { tellAt: 20 });
    await Promise.all([messageOf(talker), messageOf(listener)]);
    for (const task of [talker, listener]) task.post('stop');
    expect(await talker.done).toMatchObject({ keys: '' });
    const parrot = a.attach('parrot', { hello: [1, 2] });
    parrot.post('one');
    parrot.post({ two: 2 });
    const said: unknown[] = [];
    await new Promise<void>((resolve) => {
      parrot.onMessage((message) => said.push(message) === 3 && resolve());
    });
    expect(said).toEqual([{ hello: [1, 2] }, 'one', { two: 2 }]);
    parrot.post('stop');
    expect(await parrot.done).toBe('stopped');
  });

  it('reports keys, statistics and the end of a recording', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'media-threads-'));
    const [a, b] = await line(await start());
    const path = join(folder, 'call.wav');
    a.record(path);
    const heard = messageOf(b.attach('talk', { tellAt: -1 }));
    a.attach('talk', { tellAt: -1 });
    await a.sendDtmf('5');
    expect(await heard).toEqual({ key: '5' });
    const end = await a.close();
    expect(end.recording).toMatchObject({ path, bytes: (await stat(path)).size });
    expect(end.stats.sent).toBeGreaterThan(0);
    expect(end.stats.received).toBeGreaterThan(0);
    expect(await a.close()).toBe(end);
    await rm(folder, { recursive: true });
  });

  it('reports invalid requests', async () => {
    const [a] = await line(await start());
    await expect(a.sendDtmf('x')).rejects.toMatchObject({ message: expect.stringContaining('Only the digits') });
    await expect(a.attach('fail', {}).done).rejects.toMatchObject({ message: 'a task that fails' });
  });

  it('bridges two legs: their remote parties hear each other and each other’s keys, until one leaves', async () => {
    const host = await start();
    const [farA, a] = await line(host);
    const b = await host.open({ legId: 'second', near: a }, nothing());
    const farB = await host.open({ legId: 'far' }, nothing());
    b.start(towards(farB));
    farB.start(towards(b));
    const phoneA = farA.attach('talk', { tellAt: 20 });
    const phoneB = farB.attach('talk', { tellAt: 20 });
    const bridge = a.bridge(b);
    await Promise.all([messageOf(phoneA), messageOf(phoneB)]);
    const key = messageOf(phoneB);
    await farA.sendDtmf('9');
    expect(await key).toEqual({ key: '9' });
    bridge.release();
    bridge.release();
    const again = a.bridge(b);
    await b.close();
    again.release();
  });
});

describe('a pool of media threads', () => {
  it('continues the audio while the signalling thread is blocked', async () => {
    const [a, b] = await line(await pool(1));
    const talker = a.attach('talk', { tellAt: 10 });
    const listener = b.attach('listen', { tellAt: 10 });
    await Promise.all([messageOf(listener)]);
    const before = await report(listener);
    const blockedMs = 3_000;
    const until = performance.now() + blockedMs;
    while (performance.now() < until);
    // This thread has neither requested nor forwarded any of these three seconds.
    const after = await report(listener);
    // A stalled pacer would have skipped all except 200 ms.
    expect(after.heard - before.heard).toBeGreaterThan((blockedMs / 20) * 0.8);
    talker.post('stop');
    const { stats } = await b.close();
    expect(stats.lost).toBe(0);
  });

  it('gives every leg a separate port, and fails when no port is free', async () => {
    const two = await pool(2, { min: 12_400, max: 12_407 });
    const legs = await Promise.all(['a', 'b', 'c', 'd'].map((legId) => two.open({ legId }, nothing())));
    const ports = legs.map((leg) => leg.localPort);
    expect(new Set(ports)).toEqual(new Set([12_400, 12_402, 12_404, 12_406]));
    await expect(two.open({ legId: 'e' }, nothing())).rejects.toThrow('No free RTP port');
    await legs[1]!.close();
    expect((await two.open({ legId: 'f' }, nothing())).localPort).toBe(ports[1]);
  });

  it('skips a port of another process', async () => {
    const ours = await pool(1, { min: 12_410, max: 12_413 });
    const others = await pool(1, { min: 12_410, max: 12_413 });
    const [a, b] = [await ours.open({ legId: 'a' }, nothing()), await others.open({ legId: 'b' }, nothing())];
    expect([a.localPort, b.localPort]).toEqual([12_410, 12_412]);
  });

  it('spreads legs, and bridges none across threads', async () => {
    const [a, b] = await line(await pool(2));
    expect(() => a.bridge(b)).toThrow('not in one thread');
  });

  it('ends a thread that hangs and starts another one', async () => {
    const one = await openTestPool(1, PORTS, { silentMs: 2_500 });
    open.push(one);
    const lost = new Promise<void>((resolve) => {
      void one.open({ legId: 'a' }, { ...nothing(), onLost: resolve }).then((audio) => audio.attach('hang', {}));
    });
    await lost;
    const task = (await one.open({ legId: 'b' }, nothing())).attach('parrot', 'alive');
    expect(await messageOf(task)).toBe('alive');
  });

  it('closes when recordings are finished', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'media-threads-'));
    const one = await pool(1);
    const [a, b] = await line(one);
    b.attach('talk', { tellAt: -1 });
    const path = join(folder, 'call.wav');
    a.record(path);
    await messageOf(a.attach('talk', { tellAt: 30 }));
    await one.close();
    expect((await stat(path)).size).toBeGreaterThan(44);
    await rm(folder, { recursive: true });
  });
});

suiteWith(['chrt', 'setpriv'])('the scheduling class of a media thread', () => {
  const withoutCapability = ['setpriv', '--bounding-set=-sys_nice'];
  const warning = expect.stringMatching(
    /^a media thread cannot run in the real-time class: .*Operation not permitted/s,
  );
  const asRoot: [string, string, string[], object][] = [
    ['auto', 'with CAP_SYS_NICE', [], { realTime: 1, warnings: [] }],
    ['normal', 'with CAP_SYS_NICE', [], { realTime: 0, warnings: [] }],
    ['auto', 'without CAP_SYS_NICE', withoutCapability, { realTime: 0, warnings: [] }],
    ['realtime', 'without CAP_SYS_NICE', withoutCapability, { realTime: 0, warnings: [warning] }],
  ];
  const asUser: typeof asRoot = [['normal', 'as a user', [], { realTime: 0, warnings: [] }]];

  it.each(process.getuid?.() === 0 ? asRoot : asUser)('%s, %s', async (priority, _, prefix, expected) => {
    const [command, ...args] = [...prefix, process.execPath, 'test/support/real-time-threads.mjs', priority];
    const { stdout } = await promisify(execFile)(command, args);
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
