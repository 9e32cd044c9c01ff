import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { answerCall, closeAgents, dial, resultOf, startAgent } from '../../../../test/interop/loopback-agents.js';

const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAgents();
});

async function connected(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

describe('TCP', () => {
  it('carries several calls over one connection', async () => {
    const [caller, callee] = await Promise.all([startAgent(), startAgent()]);
    const ports = new Set<number>();
    callee.onInvite((call) => {
      ports.add(call.remote.port);
      call.once('confirmed', () => call.hangup());
      answerCall(call);
    });
    const nextHop = { host: '127.0.0.1', port: callee.port, transport: 'tcp' as const };
    const calls = [1, 2, 3].map(() => resultOf(dial(caller, callee.port, { nextHop })));
    await Promise.all(calls);
    await resultOf(dial(caller, callee.port, { nextHop }));
    expect(ports.size).toBe(1);
  });

  it('answers a ping with a pong', async () => {
    const socket = await connected((await startAgent()).port);
    socket.write('\r\n\r\n');
    expect(String(await once(socket, 'data'))).toBe('\r\n');
  });

  it('closes a connection whose stream makes no sense, and goes on', async () => {
    const agent = await startAgent();
    const socket = await connected(agent.port);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined).write('OPTIONS sip:x SIP/2.0\r\nVia: y\r\n\r\n');
    await closed;
    const other = await connected(agent.port);
    const via = `SIP/2.0/TCP 127.0.0.1:${other.localPort};branch=z9hG4bK1`;
    const head = ['OPTIONS sip:127.0.0.1 SIP/2.0', `Via: ${via}`, 'From: <sip:a@h>;tag=1', 'To: <sip:b@h>'];
    other.write([...head, 'Call-ID: 1', 'CSeq: 1 OPTIONS', 'Content-Length: 0', '', ''].join('\r\n'));
    expect(String(await once(other, 'data'))).toMatch(/^SIP\/2\.0 200 OK/);
  });

  it('pings a quiet connection, and closes it when no message comes for too long', async () => {
    const agent = await startAgent({ connectionLimits: { idleMs: 100, keepAliveMs: 30 } });
    const socket = await connected(agent.port);
    expect(String(await once(socket, 'data'))).toMatch(/^(\r\n\r\n)+$/);
    await once(socket.resume(), 'end');
  });
});
