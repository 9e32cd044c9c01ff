import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { bindRtpSocket, NoMediaPorts, type PortRange, RtpPortPool } from './rtp-port-pool.js';

const takeAll = (ports: RtpPortPool): number[] => Array.from({ length: ports.count }, () => ports.take()!);

describe('the pool of RTP ports', () => {
  it.each([
    [10, 15, [10, 12, 14]],
    [11, 16, [12, 14, 16]],
    [11, 11, []],
    [20, 10, []],
  ])('from %i to %i are the even ones', (min, max, expected) => {
    const ports = new RtpPortPool({ min, max });
    expect(takeAll(ports)).toEqual(expected);
    expect(ports.take()).toBeUndefined();
  });

  it('are reused in the order of their release, over many rounds', () => {
    const ports = new RtpPortPool({ min: 10, max: 19 });
    for (let round = 0; round < 7; round++) {
      const [a, b, c] = [ports.take()!, ports.take()!, ports.take()!];
      for (const port of [b, c, a]) ports.add(port);
      const all = takeAll(ports);
      expect(all.slice(-3)).toEqual([b, c, a]);
      expect(all.toSorted((x, y) => x - y)).toEqual([10, 12, 14, 16, 18]);
      for (const port of all) ports.add(port);
    }
  });
});

const sockets: Socket[] = [];

async function bind(range: PortRange): Promise<number> {
  const { socket, port } = await bindRtpSocket('127.0.0.1', range);
  sockets.push(socket);
  expect(socket.address().port).toBe(port);
  return port;
}

/** A socket of another program. */
async function foreign(port: number): Promise<Socket> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function close(socket: Socket): Promise<void> {
  const closed = once(socket, 'close');
  socket.close();
  await closed;
}

afterEach(() => Promise.all(sockets.splice(0).map(close)));

describe('RTP ports', () => {
  it('are even, distinct, and refused when there are no more', async () => {
    const range = { min: 31_401, max: 31_406 };
    const taken = await Promise.all([bind(range), bind(range)]);
    expect([...taken, await bind(range)].toSorted((a, b) => a - b)).toEqual([31_402, 31_404, 31_406]);
    await expect(bind(range)).rejects.toThrow(NoMediaPorts);
  });

  it('are not reused while a longer released one is free', async () => {
    const range = { min: 31_410, max: 31_415 };
    const other = await foreign(31_412);
    expect([await bind(range), await bind(range)]).toEqual([31_410, 31_414]);
    await close(sockets.shift() as Socket);
    await close(other);
    expect([await bind(range), await bind(range)]).toEqual([31_412, 31_410]);
  });

  it('of other programs are skipped', async () => {
    const other = await foreign(31_420);
    expect(await bind({ min: 31_420, max: 31_423 })).toBe(31_422);
    await close(other);
  });

  it('fail when the address is not local', async () => {
    await expect(bindRtpSocket('192.0.2.1', { min: 31_430, max: 31_440 })).rejects.toThrow('EADDRNOTAVAIL');
  });
});
