import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { Connections } from './connections.js';
import type { Flow } from './flow.js';
import type { IncomingCall } from '../user-agent/incoming-call.js';
import type { StreamConnection } from './stream-connection.js';
import type { UserAgentOptions } from '../user-agent/user-agent.js';

const sockets: Socket[] = [];
const servers: Server[] = [];
const PADDING = 'x'.repeat(4_000);

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  await closeAgents();
});

async function listening(): Promise<Server> {
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

/** Without an offer; its Via contains `port`, not that of the connection. */
function inviteFrom(port: number): string {
  return [
    'INVITE sip:100@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/TCP 127.0.0.1:${port};branch=z9hG4bKmoved`,
    'From: <sip:peer@127.0.0.1>;tag=peer',
    'To: <sip:100@127.0.0.1>',
    'Call-ID: moved',
    'CSeq: 1 INVITE',
    `Contact: <sip:peer@127.0.0.1:${port};transport=tcp>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

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
    const nextHops = [{ host: '127.0.0.1', port: callee.port, transport: 'tcp' as const }];
    const calls = [1, 2, 3].map(() => resultOf(dial(caller, callee.port, { nextHops })));
    await Promise.all(calls);
    await resultOf(dial(caller, callee.port, { nextHops }));
    expect(ports.size).toBe(1);
  });

  it('answers a ping with a pong', async () => {
    const socket = await connected((await startAgent()).port);
    socket.write('\r\n\r\n');
    expect(String(await once(socket, 'data'))).toBe('\r\n');
  });

  it('closes a connection with a broken stream, and continues', async () => {
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

  describe('whose connection closes before the response', () => {
    const ring = async (options: Partial<UserAgentOptions> = {}): Promise<{ call: IncomingCall; sentBy: Server }> => {
      const agent = await startAgent(options);
      const called = new Promise<IncomingCall>((resolve) => agent.onInvite(resolve));
      const sentBy = await listening();
      const socket = await connected(agent.port);
      socket.write(inviteFrom((sentBy.address() as AddressInfo).port));
      const call = await called;
      await once(socket.resume().end(), 'close');
      return { call, sentBy };
    };

    it('gets it over a new connection to the port of its Via (RFC 3261 §18.2.2)', async () => {
      const { call, sentBy } = await ring();
      const accepted = once(sentBy, 'connection');
      call.reject(486);
      const [socket] = (await accepted) as [Socket];
      expect(String(await once(socket, 'data'))).toMatch(/^SIP\/2\.0 486 /);
    });

    it('gets no response when the address is not allowed', async () => {
      const checked: string[] = [];
      const checkAddress = (address: string): never => {
        checked.push(address);
        throw new Error('inside');
      };
      const { call, sentBy } = await ring({ checkAddress });
      const connections: unknown[] = [];
      sentBy.on('connection', (socket) => connections.push(socket));
      call.reject(486);
      await closeAgents();
      expect([checked, connections]).toEqual([['127.0.0.1'], []]);
    });
  });

  it('pings a quiet connection, and closes it after the idle time', async () => {
    const agent = await startAgent({ connectionLimits: { idleMs: 100, keepAliveMs: 30 } });
    const socket = await connected(agent.port);
    expect(String(await once(socket, 'data'))).toMatch(/^(\r\n\r\n)+$/);
    await once(socket.resume(), 'end');
  });

  it('closes it although the peer keeps its side open', async () => {
    const agent = await startAgent({ connectionLimits: { idleMs: 60, keepAliveMs: 20 } });
    const socket = connect({ host: '127.0.0.1', port: agent.port, allowHalfOpen: true });
    sockets.push(socket);
    await once(socket.resume(), 'end');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    const knocking = setInterval(() => socket.write('x'), 10);
    await closed;
    clearInterval(knocking);
    expect(socket.destroyed).toBe(true);
  });

  it('ends a connection whose peer sends requests and reads no response', async () => {
    const agent = await startAgent();
    const socket = await connected(agent.port);
    const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
    socket.on('error', () => undefined).pause();
    const written = (async () => {
      for (let i = 0; i < 10_000 && !socket.destroyed; i++) {
        const head = ['OPTIONS sip:127.0.0.1 SIP/2.0', `Via: SIP/2.0/TCP 127.0.0.1:9;branch=z9hG4bK${i};x=${PADDING}`];
        const rest = ['From: <sip:a@h>;tag=1', 'To: <sip:b@h>', 'Call-ID: 1', 'CSeq: 1 OPTIONS', 'Content-Length: 0'];
        const sent = new Promise((resolve) => socket.write([...head, ...rest, '', ''].join('\r\n'), resolve));
        await Promise.race([sent, closed]);
      }
      return false;
    })();
    expect(await Promise.race([closed, written.then(() => socket.destroyed)])).toBe(true);
  });

  it('replaces the longest idle connection by a new one, and never one with a call', async () => {
    const callee = await startAgent({ connectionLimits: { maxAccepted: 2 } });
    const caller = await startAgent();
    const nextHops = [{ host: '127.0.0.1', port: callee.port, transport: 'tcp' as const }];
    callee.onInvite((call) => answerCall(call));
    const call = dial(caller, callee.port, { nextHops });
    await once(call, 'answered');
    const quiet = await connected(callee.port);
    const quietEnd = once(quiet.resume(), 'close');
    const other = await connected(callee.port);
    await quietEnd;
    other.write(inviteFrom(9).replace('INVITE sip', 'OPTIONS sip').replace('1 INVITE', '1 OPTIONS'));
    expect(String(await once(other, 'data'))).toMatch(/^SIP\/2\.0 200 OK/);
    const result = resultOf(call);
    call.hangup();
    expect(await result).toEqual({ kind: 'bye', by: 'local' });
  });

  it('closes a connection that another one of the same peer has replaced', async () => {
    const server = await listening();
    const { port } = server.address() as AddressInfo;
    const connections = new Connections(
      undefined,
      () => undefined,
      () => undefined,
    );
    const ends = { transport: 'tcp' as const, address: '127.0.0.1', port, localAddress: '127.0.0.1', localPort: 0 };
    const both = await Promise.all([connected(port), connected(port)]);
    const closed = both.map((socket) => once(socket, 'close'));
    for (const socket of both) connections.keep('remote party', socket, ends);
    connections.close();
    expect(await Promise.all(closed)).toHaveLength(2);
  });

  describe('under a call', () => {
    async function answered(callerOptions: Partial<UserAgentOptions> = {}) {
      const flows: Flow[] = [];
      const tap: UserAgentOptions['tap'] = (direction, message, flow) => {
        if (direction === 'in' && message.kind === 'request' && message.method !== 'ACK') flows.push(flow);
      };
      const [caller, callee] = await Promise.all([startAgent(callerOptions), startAgent({ tap })]);
      const called = new Promise<IncomingCall>((resolve) => callee.onInvite(resolve));
      const nextHops = [{ host: '127.0.0.1', port: callee.port, transport: 'tcp' as const }];
      const call = dial(caller, callee.port, { nextHops });
      const incoming = await called;
      const confirmed = once(incoming, 'confirmed');
      answerCall(incoming);
      await confirmed;
      return { caller, call, incoming, flows };
    }

    it('is not closed for silence', async () => {
      const limits = { connectionLimits: { idleMs: 60, keepAliveMs: 20 } };
      const { caller, call, incoming, flows } = await answered(limits);
      // The end of a connection without a call shows that the time is over.
      for (let i = 0; i < 2; i++) await once((await connected(caller.port)).resume(), 'end');
      const ended = once(incoming, 'ended');
      call.hangup();
      expect(await ended).toEqual(['remote']);
      expect(new Set(flows).size).toBe(1);
    });

    it('is replaced when it breaks', async () => {
      const { caller, call, incoming, flows } = await answered();
      const [first] = flows as [StreamConnection];
      first.close();
      // The caller has noticed it as well once a later message has arrived.
      await once((await connected(caller.port)).resume().end(), 'close');
      const ended = once(incoming, 'ended');
      call.hangup();
      expect(await ended).toEqual(['remote']);
      expect(new Set(flows).size).toBe(2);
    });
  });
});
