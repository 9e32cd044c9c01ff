import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type * as Telephony from '@app/telephony';

/** The part of Trunkline that sets up the calls: the user agent alone, or the engine with RTP sockets. */
export type SetupKind = 'signalling' | 'rtp';

export interface SetupRound {
  callsPerSecond: number;
  cpuMsPerCall: number;
}

interface SetupOptions {
  calls: number;
  atOnce: number;
  host: string;
  /** The SIP port of the callee. */
  port: number;
}

type PlaceCall = () => Promise<void>;

const QUIET = { debug: () => {}, warn: () => {} };

/** A child process of the call set-up bench, so that each contender has its own heap. Measures a round per message. */
async function main(build: string, kind: SetupKind, options: SetupOptions): Promise<void> {
  // Builds of before the flags have none.
  await import(pathToFileURL(`${build}/apps/dialer/src/v8-flags.js`).href).catch(() => undefined);
  const telephony = (await import(pathToFileURL(`${build}/libs/telephony/src/index.js`).href)) as typeof Telephony;
  const place = await (kind === 'rtp' ? engineCalls : userAgentCalls)(telephony, options);
  process.send?.('ready');
  for (;;) {
    await once(process, 'message');
    process.send?.(await measure(place, options));
  }
}

async function userAgentCalls(telephony: typeof Telephony, { host, port }: SetupOptions): Promise<PlaceCall> {
  const agent = await telephony.SipUserAgent.start({ bind: host, port: 0, userAgent: 'bench', log: QUIET });
  const uri = `sip:service@${host}:${port}`;
  return () => {
    const call = agent.invite({
      requestUri: uri,
      from: { user: 'bench' },
      nextHops: [{ host, port, transport: 'udp' }],
      offer: (address) => telephony.buildOffer({ address, port: 40_000, codecs: ['PCMU'] }),
      codecs: ['PCMU'],
      ringTimeoutMs: 30_000,
    });
    call.on('answered', () => call.hangup());
    return new Promise((resolve) => call.on('ended', () => resolve()));
  };
}

async function engineCalls(telephony: typeof Telephony, { host, port }: SetupOptions): Promise<PlaceCall> {
  const engine = await telephony.EmbeddedEngine.start({
    sip: { bind: host, port: 0, userAgent: 'bench', log: QUIET },
    media: new telephony.LocalMediaHost({
      media: { bindAddress: host, ports: { min: 20_000, max: 59_999 } },
      tasks: {},
      log: QUIET,
    }),
    codecs: ['PCMU'],
  });
  let n = 0;
  return () => {
    const leg = engine.dial({
      legId: String(++n),
      destination: { kind: 'sip', uri: `sip:service@${host}:${port}` },
      from: { number: '+15550001111' },
      ringTimeoutMs: 30_000,
    });
    leg.on('answered', () => leg.hangup('normal_clearing'));
    return new Promise((resolve) => leg.on('ended', () => resolve()));
  };
}

/** Keeps `atOnce` calls active until all have ended. */
async function measure(place: PlaceCall, { calls, atOnce }: SetupOptions): Promise<SetupRound> {
  const before = process.cpuUsage();
  const start = performance.now();
  let left = calls;
  const line = async (): Promise<void> => {
    while (left-- > 0) await place();
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { callsPerSecond: calls / seconds, cpuMsPerCall: (user + system) / 1_000 / calls };
}

const [build = '', kind = 'signalling', options = '{}'] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
await main(build, kind as SetupKind, JSON.parse(options) as SetupOptions);
