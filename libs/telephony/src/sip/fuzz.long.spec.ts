import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FuzzRun, heapInUse } from '../../../../test/fuzz/fuzz-run.js';
import { LINE_MUTATIONS, SIP_MUTATIONS } from '../../../../test/fuzz/mutations.js';
import {
  REQUEST_EXAMPLES,
  responseExample,
  SDP_EXAMPLE,
  SDP_EXAMPLES,
  STATUSES,
} from '../../../../test/fuzz/sip-examples.js';
import { answerCall, closeAgents, dial, resultOf, startAgent } from '../../../../test/full/interop/loopback-agents.js';
import { eventually } from '../../../../test/support/eventually.js';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { parseSdp, type SdpAudio, SdpProblem } from '../sdp-parse.js';
import { buildAnswer, negotiate } from '../sdp.js';
import type { Flow } from './transport/flow.js';
import type { IncomingCall } from './user-agent/incoming-call.js';
import { MalformedMessage, parseMessage } from './messages/parse-message.js';
import { FramingError, StreamFramer } from './transport/stream-connection.js';
import type { SipUserAgent } from './user-agent/user-agent.js';

const SEED = 'fuzz 1';
const PARSED = 30_000;
const TO_THE_AGENT = 30_000;
const SDP = 20_000;
const FRAMED = 5_000;
const OVER_SOCKETS = 5_000;
const MB = 2 ** 20;

const SIP_KINDS = Object.keys(SIP_MUTATIONS);
const LINE_KINDS = Object.keys(LINE_MUTATIONS);

function report(title: string, run: FuzzRun): void {
  process.stdout.write(`${title}\n${run.toString()}\n`);
}

/** The example, filled in and broken; in half of the cases more than once. */
function broken(example: string, kind: string, random: SeededRandom): Buffer {
  const once = SIP_MUTATIONS[kind]!(example, random);
  const text = random.chance(0.2) ? SIP_MUTATIONS[random.pick(SIP_KINDS)]!(once, random) : once;
  // The size of a datagram.
  return Buffer.from(text.slice(0, 65_507), 'latin1');
}

const named = (example: string, n: number): string =>
  example.replaceAll('CALLID', `call-${n}`).replaceAll('BRANCH', `branch${n}`).replaceAll('TAG', `tag${n}`);

describe('malformed SIP', () => {
  it(`${PARSED} messages are parsed without an exception and in bounded time`, () => {
    const random = new SeededRandom(SEED);
    const run = new FuzzRun();
    for (let n = 0; n < PARSED; n++) {
      const kind = SIP_KINDS[n % SIP_KINDS.length]!;
      const request = named(random.pick(REQUEST_EXAMPLES), n);
      const example = random.chance(0.5)
        ? request
        : responseExample(request, random.pick(STATUSES), 'far', SDP_EXAMPLE);
      run.feed(kind, broken(example, kind, random), (data) => void parseMessage(data));
    }
    report('SIP, parsed', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
  });

  it(`${FRAMED} messages in a stream, cut at random places, throw only FramingError`, () => {
    const random = new SeededRandom(`${SEED} stream`);
    const run = new FuzzRun();
    let messages = 0;
    let framer = new StreamFramer(
      65_536,
      () => messages++,
      () => undefined,
    );
    for (let n = 0; n < FRAMED; n++) {
      const kind = SIP_KINDS[n % SIP_KINDS.length]!;
      run.feed(
        kind,
        broken(named(random.pick(REQUEST_EXAMPLES), n), random.chance(0.5) ? 'as it is' : kind, random),
        (data) => {
          try {
            for (const piece of pieces(data, random)) framer.push(piece);
          } catch (error) {
            if (!(error instanceof FramingError)) throw error;
            framer = new StreamFramer(
              65_536,
              () => messages++,
              () => undefined,
            );
          }
        },
      );
    }
    report('SIP, in a stream', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
    expect(messages).toBeGreaterThan(FRAMED / 4);
  });

  it(`${SDP} session descriptions get answers that can be parsed`, () => {
    const random = new SeededRandom(`${SEED} sdp`);
    const run = new FuzzRun();
    let answered = 0;
    const local = { address: '127.0.0.1', port: 40_000, codecs: ['PCMU' as const, 'PCMA' as const] };
    for (let n = 0; n < SDP; n++) {
      const kind = LINE_KINDS[n % LINE_KINDS.length]!;
      const text = LINE_MUTATIONS[kind]!(random.pick(SDP_EXAMPLES), random).slice(0, 65_000);
      run.feed(kind, Buffer.from(text, 'latin1'), (data) => {
        const offer = parseSdp(data.toString('utf8'));
        if (offer instanceof SdpProblem) return;
        negotiate(local, offer);
        const answer = buildAnswer(offer, local);
        if (answer === undefined) return;
        answered++;
        expect((parseSdp(answer) as SdpAudio).codecs).toHaveLength(1);
      });
    }
    report('SDP', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
    expect(answered).toBeGreaterThan(SDP / 20);
  });
});

function* pieces(data: Buffer, random: SeededRandom): Generator<Buffer> {
  for (let at = 0; at < data.length;) {
    const length = random.chance(0.2) ? random.int(1, 4) : random.int(1, 4_000);
    yield data.subarray(at, at + length);
    at += length;
  }
}

describe('a user agent that gets malformed SIP', () => {
  let agent: SipUserAgent;
  let callee: Socket;
  /** INVITEs of the agent; the test answers them. */
  let invites: string[];

  beforeEach(async () => {
    agent = await startAgent();
    invites = [];
    callee = createSocket('udp4').bind(0, '127.0.0.1');
    await once(callee, 'listening');
    callee.on('message', (data) => {
      const text = data.toString('latin1');
      if (text.startsWith('INVITE ')) invites.push(text);
    });
  });
  afterEach(async () => {
    callee.close();
    await closeAgents();
  });

  /** The flow of a message without a socket; responses are discarded. */
  const flow = (): Flow => {
    const nowhere: Flow = {
      transport: 'udp',
      reliable: false,
      closed: false,
      address: '127.0.0.1',
      port: 9,
      localAddress: '127.0.0.1',
      localPort: agent.port,
      send: () => undefined,
      toPort: () => nowhere,
    };
    return nowhere;
  };

  /** Like the endpoint with a datagram. */
  function take(data: Buffer): void {
    const message = parseMessage(data);
    if (!(message instanceof MalformedMessage)) agent.layer.receive(message, flow(), data);
    else if (message.request) agent.layer.refuse(message.request, message.status, flow(), data);
  }

  it(`${TO_THE_AGENT} times, in outbound and inbound calls, keeps running, retains nothing and accepts calls`, async () => {
    const random = new SeededRandom(`${SEED} agent`);
    const run = new FuzzRun();
    const heap = heapInUse();
    agent.onInvite((call) => treat(call, random));
    let invite = await outgoingInvite();
    for (let n = 0; n < TO_THE_AGENT; n++) {
      if (n % 500 === 499) {
        // Lets timers and sockets run.
        await new Promise((resolve) => setImmediate(resolve));
        invite = await outgoingInvite();
      }
      const kind = SIP_KINDS[n % SIP_KINDS.length]!;
      const response = (): string =>
        responseExample(invite, random.pick(STATUSES), `far${random.int(0, 3)}`, random.chance(0.5) ? SDP_EXAMPLE : '');
      const example = random.chance(0.4) ? response() : named(random.pick(REQUEST_EXAMPLES), n);
      run.feed(kind, broken(example, kind, random), take);
    }
    report('SIP, to a user agent', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);

    const nothing = { transactions: 0, dialogs: 0, calls: 0, undecided: 0 };
    agent.onInvite(answerCall);
    const caller = await startAgent();
    const call = dial(caller, agent.port);
    call.once('answered', () => call.hangup());
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'local' });
    expect(
      await eventually(
        () => agent.held,
        (held) => !Object.values(held).some(Boolean),
      ),
    ).toEqual(nothing);
    expect((heapInUse() - heap) / MB).toBeLessThan(25);
  });

  async function outgoingInvite(): Promise<string> {
    const before = invites.length;
    const { port } = callee.address();
    const call = dial(agent, port, { ringTimeoutMs: 500 });
    call.on('answered', () => call.hangup());
    await eventually(
      () => invites.length,
      (now) => now > before,
    );
    return invites.at(-1)!;
  }
});

/** The possible actions of an application on a call. */
function treat(call: IncomingCall, random: SeededRandom): void {
  const what = random.int(0, 3);
  if (what > 0) call.ring();
  if (what === 1) call.reject(486);
  else if (what === 2) call.hangup();
  else if (call.offer && negotiate({ codecs: ['PCMU'] }, call.offer)) {
    answerCall(call);
    call.hangup();
  } else call.reject(488);
}

describe('a user agent with open sockets', () => {
  afterEach(closeAgents);

  it(`answers OPTIONS between ${OVER_SOCKETS} malformed datagrams, and on a connection after broken ones`, async () => {
    const agent = await startAgent();
    agent.onInvite((call) => call.reject(486));
    const random = new SeededRandom(`${SEED} sockets`);
    const peer = createSocket('udp4').bind(0, '127.0.0.1');
    await once(peer, 'listening');
    const probe = (n: number): string => named(REQUEST_EXAMPLES[3]!, 1_000_000 + n);
    for (let n = 0; n < OVER_SOCKETS; n++) {
      const kind = SIP_KINDS[n % SIP_KINDS.length]!;
      peer.send(broken(named(random.pick(REQUEST_EXAMPLES), n), kind, random), agent.port, '127.0.0.1');
      if (n % 25 === 24) await answered(peer, probe(n), agent.port);
    }
    peer.close();
    for (let n = 0; n < 40; n++)
      await overTcp(
        agent.port,
        broken(named(random.pick(REQUEST_EXAMPLES), n), random.pick(SIP_KINDS), random),
        random,
      );
    const last = connect(agent.port, '127.0.0.1');
    last.write(probe(-1).replace('SIP/2.0/UDP', 'SIP/2.0/TCP'));
    const [answer] = (await once(last, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^SIP\/2\.0 200 /);
    last.destroy();
  });
});

/** Resolves when the probe is answered: all messages before it have been read by then. */
async function answered(peer: Socket, probe: string, port: number): Promise<void> {
  const branch = /branch=([^;]*)/.exec(probe)![1]!;
  const again = setInterval(() => peer.send(probe, port, '127.0.0.1'), 200);
  peer.send(probe, port, '127.0.0.1');
  for (;;) {
    const [data] = (await once(peer, 'message')) as [Buffer];
    if (data.includes(branch) && data.toString('latin1').startsWith('SIP/2.0 200')) break;
  }
  clearInterval(again);
}

async function overTcp(port: number, data: Buffer, random: SeededRandom): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  for (const piece of pieces(data, random)) socket.write(piece);
  socket.end();
  await once(socket, 'close');
}
