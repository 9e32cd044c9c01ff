import { afterEach, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { CLEAN_LINE } from '@app/agents/scenarios';
import { PacketPath } from './packet-path.js';

const HOST = '127.0.0.1';
const sockets: Socket[] = [];
let path: PacketPath | undefined;

afterEach(() => {
  path?.close();
  for (const socket of sockets.splice(0)) socket.close();
});

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(0, HOST);
  await once(socket, 'listening');
  return socket;
}

describe('the path of RTP to an agent whose described address is forbidden', () => {
  it('sends nothing there, and sends to the source of the packets of its signalling address', async () => {
    const [tester, forbidden, agent] = await Promise.all([bound(), bound(), bound()]);
    const received: string[] = [];
    for (const [name, socket] of Object.entries({ forbidden, agent })) socket.on('message', () => received.push(name));
    path = await PacketPath.open({ address: HOST, port: tester.address().port }, CLEAN_LINE, 'seed');
    const described = { address: HOST, port: forbidden.address().port };
    const near = path.describe({ ...described, latchTo: HOST });
    expect(near).toMatchObject({ latchTo: undefined, rtcp: undefined });
    expect('rtcp' in near).toBe(true);
    tester.send('before', near.port, near.address);
    agent.send('hello', path.address.port, path.address.address);
    await once(tester, 'message');
    tester.send('after', near.port, near.address);
    await once(agent, 'message');
    expect(new Set(received)).toEqual(new Set(['agent']));
  });
});
