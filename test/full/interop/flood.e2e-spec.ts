import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import { Admission, SipUserAgent, type EmbeddedEngine, type KnownCallers, type UserAgentOptions } from '@app/telephony';
import { SandboxPhone } from '@app/sandbox/phone';
import { heapInUse } from '../../fuzz/fuzz-run.js';
import { REQUEST_EXAMPLES } from '../../fuzz/sip-examples.js';
import { closeAgents, dial, resultOf, startAgent } from './loopback-agents.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const QUIET = { debug: () => undefined, warn: () => undefined };
/** The kernel drops packets of a flood and of calls; these timers allow enough retransmissions. */
const TIMERS = { t1: 150, t2: 600, t4: 600 };
const REQUESTS = 20_000;
const PER_SOURCE = 2;
const SOURCES_AT_ONCE = 20;
const MB = 2 ** 20;
/** INVITE, OPTIONS, REGISTER. */
const [INVITE, OPTIONS, REGISTER] = [REQUEST_EXAMPLES[0]!, REQUEST_EXAMPLES[3]!, REQUEST_EXAMPLES[4]!];

let engine: EmbeddedEngine | undefined;
let phone: SandboxPhone | undefined;
let flood: Flood | undefined;

afterEach(async () => {
  await flood?.end(0);
  await closeAgents();
  await Promise.all([engine?.close(), phone?.close()]);
});

/** Requests from new unknown addresses of 127.0.0.0/8, until `stop`. */
class Flood {
  sent = 0;
  private over = false;
  private readonly running: Promise<void>;

  constructor(private readonly port: number) {
    this.running = this.run();
  }

  /** Resolves when that many requests have been sent and the flood has ended. */
  async end(atLeast: number): Promise<void> {
    while (this.sent < atLeast) await new Promise((resolve) => setImmediate(resolve));
    this.over = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.over) {
      // A datagram on loopback is sent in the same turn; this lets other work run.
      await new Promise((resolve) => setImmediate(resolve));
      const first = this.sent / PER_SOURCE;
      await Promise.all(Array.from({ length: SOURCES_AT_ONCE }, (_, n) => this.source(first + n)));
    }
  }

  private async source(n: number): Promise<void> {
    const socket = createSocket('udp4').bind(0, `127.${1 + ((n >> 16) & 0x7f)}.${(n >> 8) & 0xff}.${n & 0xff}`);
    socket.on('error', () => undefined);
    await once(socket, 'listening');
    for (let i = 0; i < PER_SOURCE; i++) {
      const id = `${n}-${i}`;
      const request = [INVITE, OPTIONS, REGISTER][(n + i) % 3]!;
      const text = request.replaceAll('BRANCH', id).replaceAll('CALLID', id).replaceAll('TAG', id);
      await new Promise((resolve) => socket.send(text, this.port, '127.0.0.1', resolve));
      this.sent++;
    }
    socket.close();
  }
}

it(`a flood of ${REQUESTS} requests from unknown sources leaves no state, and calls in and out continue during it`, async () => {
  const known: KnownCallers = {
    byAddress: (address) => (address === '127.0.0.1' ? ['trunk'] : []),
    byContact: () => [],
    byRegistrar: () => [],
    usesContacts: false,
    byUsername: () => [],
    usesDigest: true,
  };
  const admission = new Admission({ callers: () => known, algorithms: ['MD5'], log: QUIET });
  let [strangers, mostTransactions] = [0, 0];
  const admit: UserAgentOptions['admit'] = (facts) => {
    if (facts.address !== '127.0.0.1') strangers++;
    mostTransactions = Math.max(mostTransactions, engine!.held.transactions);
    return admission.admit(facts);
  };
  const sip = { bind: '127.0.0.1', port: 0, userAgent: 'flooded', log: QUIET, timers: TIMERS };
  engine = await startTestEngine({ sip: { ...sip, admit } });
  let invitations = 0;
  engine.onIncoming((invitation) => {
    invitations++;
    invitation.accept({ legId: 'in' }).answer();
  });
  phone = new SandboxPhone(await SipUserAgent.start(sip), {
    ...sip,
    rtpPorts: { min: 23_000, max: 23_998 },
    ringMs: 20,
  });
  const caller = await startAgent({ timers: TIMERS });
  const heap = heapInUse();

  flood = new Flood(engine.port);
  for (let calls = 0; calls < 5; calls++) {
    const before = strangers;
    const out = dialTo(engine, phone.port, 'udp', {
      destination: { kind: 'sip', uri: `sip:silent@127.0.0.1:${phone.port}` },
    });
    const back = dial(caller, engine.port);
    const backEnded = resultOf(back);
    back.on('answered', () => back.hangup());
    await eventOf(out.leg, 'answered');
    out.leg.hangup('agent_hangup');
    expect(await out.ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
    expect(await backEnded).toEqual({ kind: 'bye', by: 'local' });
    expect(strangers).toBeGreaterThan(before);
  }
  await flood.end(REQUESTS);

  expect(invitations).toBe(5);
  expect(strangers).toBeGreaterThan(REQUESTS / 2);
  expect(mostTransactions).toBeLessThan(60);
  expect((heapInUse() - heap) / MB).toBeLessThan(20);
  process.stdout.write(
    `${flood.sent} requests sent, ${strangers} judged, heap +${((heapInUse() - heap) / MB).toFixed(1)} MB, most transactions ${mostTransactions}\n`,
  );
});
