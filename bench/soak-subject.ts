import { getEventListeners, setMaxListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { EmbeddedEngine, LocalMediaHost, SipUserAgent, type LegEnd } from '@app/telephony';
import { SandboxPhone } from '@app/sandbox/phone';

/** The resources of the process without a live call. */
export interface Footprint {
  calls: number;
  /** Calls with an unexpected end. */
  wrong: number;
  heapMb: number;
  rssMb: number;
  /** Open files, including sockets. */
  files: number;
  timers: number;
  /** Transactions, dialogs, calls and legs on both sides. */
  held: number;
  /** Listeners on the AbortSignal that all calls share, plus warnings of too many listeners. */
  listeners: number;
}

const HOST = '127.0.0.1';
const QUIET = { debug: () => {}, warn: () => {} };
/** Timers ten times faster than RFC 3261: all state of a call is gone 3.2 s after its end. */
const TIMERS = { t1: 50, t2: 400, t4: 500 };
const SETTLED_MS = 30_000;
/** Ports for the concurrent calls plus a fifth, so that every port is reused often. */
const portsFor = (atOnce: number, min: number) => ({ min, max: min + 2 * Math.ceil(atOnce * 1.2) + 1 });
/** Behaviour of the calls: most are answered and ended by either side. */
const CALLEES = ['hangup_after_0.2', 'silent', 'hangup_after_0.4', 'echo', 'busy', 'no_answer'];
const EXPECTED: Record<string, LegEnd['cause']> = {
  'hangup_after_0.2': 'normal_clearing',
  'hangup_after_0.4': 'normal_clearing',
  silent: 'agent_hangup',
  echo: 'agent_hangup',
  busy: 'user_busy',
  no_answer: 'cancelled',
};
const TALK_MS = 300;

/** A child process of the soak: the engine calls the sandbox phone with SIP and RTP over loopback. */
class Soak {
  private calls = 0;
  private wrong = 0;
  private warnings = 0;
  private readonly shared = new AbortController();

  private constructor(
    private readonly engine: EmbeddedEngine,
    private readonly agent: SipUserAgent,
    private readonly phone: SandboxPhone,
    private readonly atOnce: number,
  ) {
    // One listener per live call.
    setMaxListeners(atOnce, this.shared.signal);
    process.on('warning', () => this.warnings++);
  }

  static async start(atOnce: number): Promise<Soak> {
    const sip = { bind: HOST, port: 0, userAgent: 'soak', log: QUIET, timers: TIMERS };
    const media = { bindAddress: HOST, ports: portsFor(atOnce, 25_000) };
    const engine = await EmbeddedEngine.start({
      sip,
      media: new LocalMediaHost({ media, tasks: {}, log: QUIET }),
      codecs: ['PCMU'],
    });
    const agent = await SipUserAgent.start(sip);
    const phone = new SandboxPhone(agent, {
      bind: HOST,
      port: 0,
      rtpPorts: portsFor(atOnce, 26_000),
      ringMs: 50,
      log: QUIET,
    });
    return new Soak(engine, agent, phone, atOnce);
  }

  /** Keeps `atOnce` calls active until `total` have started. */
  async callUntil(total: number): Promise<void> {
    const line = async (): Promise<void> => {
      while (this.calls < total) await this.call(this.calls++);
    };
    await Promise.all(Array.from({ length: this.atOnce }, line));
  }

  /** Resolves when the SIP state for late messages has expired. */
  async footprint(): Promise<Footprint> {
    const deadline = Date.now() + SETTLED_MS;
    while (this.held() > 0 && Date.now() < deadline) await elapsed(50);
    // The phone keeps records of its last 2,000 calls on purpose.
    this.phone.calls.length = 0;
    for (const counts of [this.phone.invites.byUser, this.phone.invites.byFrom, this.phone.invites.byCallId])
      counts.clear();
    await elapsed(50);
    globalThis.gc!();
    globalThis.gc!();
    const { heapUsed, rss } = process.memoryUsage();
    return {
      calls: this.calls,
      wrong: this.wrong,
      heapMb: heapUsed / 2 ** 20,
      rssMb: rss / 2 ** 20,
      files: readdirSync('/proc/self/fd').length,
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      held: this.held(),
      listeners: getEventListeners(this.shared.signal, 'abort').length + this.warnings,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.engine.close(), this.phone.close()]);
  }

  private held(): number {
    const { engine, agent } = this;
    return Object.values({ ...engine.held })
      .concat(Object.values(agent.held))
      .reduce((sum, one) => sum + one, 0);
  }

  private async call(n: number): Promise<void> {
    const callee = CALLEES[n % CALLEES.length]!;
    const uri = `sip:${callee}-${n}@${HOST}:${this.phone.port}`;
    const leg = this.engine.dial(
      { legId: String(n), destination: { kind: 'sip', uri }, from: { number: '+15550001111' }, ringTimeoutMs: 20_000 },
      this.shared.signal,
    );
    if (callee === 'no_answer') leg.on('ringing', () => leg.hangup('cancelled'));
    if (callee === 'silent' || callee === 'echo')
      leg.on('answered', () => setTimeout(() => leg.hangup('agent_hangup'), TALK_MS));
    const { cause, stats } = await new Promise<LegEnd>((resolve) => leg.on('ended', resolve));
    const talked = callee !== 'busy' && callee !== 'no_answer';
    if (cause !== EXPECTED[callee] || (talked && stats.received === 0)) this.wrong++;
  }
}

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Measures the resources after each of the given numbers of calls. */
async function main(atOnce: number, totals: number[]): Promise<void> {
  const soak = await Soak.start(atOnce);
  for (const total of totals) {
    await soak.callUntil(total);
    process.send?.(await soak.footprint());
  }
  await soak.close();
}

await main(Number(process.argv[2]), process.argv.slice(3).map(Number));
