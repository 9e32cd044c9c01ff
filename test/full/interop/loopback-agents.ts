import { once } from 'node:events';
import {
  buildAnswer,
  buildOffer,
  SipUserAgent,
  type CallResult,
  type IncomingCall,
  type OutgoingCall,
  type OutgoingInvite,
  type UserAgentOptions,
} from '@app/telephony';

/** The timers of RFC 3261, 25 times faster: Timer B is 1.28 s. */
export const FAST_TIMERS = { t1: 20, t2: 160, t4: 200 };

const audio = { address: '127.0.0.1', port: 40_000, codecs: ['PCMU' as const] };
const agents: SipUserAgent[] = [];

/** A SIP endpoint on a free port of loopback; `closeAgents` ends it. */
export async function startAgent(options: Partial<UserAgentOptions> = {}): Promise<SipUserAgent> {
  const log = { debug: () => undefined, warn: () => undefined };
  const fixed = { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-test', log, timers: FAST_TIMERS };
  const agent = await SipUserAgent.start({ ...fixed, ...options });
  agents.push(agent);
  return agent;
}

export async function closeAgents(): Promise<void> {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
}

/** Calls `port` on loopback, by default over UDP. */
export function dial(from: SipUserAgent, port: number, options: Partial<OutgoingInvite> = {}): OutgoingCall {
  return from.invite({
    requestUri: `sip:+15550002@127.0.0.1:${port}`,
    nextHops: [{ host: '127.0.0.1', port, transport: 'udp' }],
    from: { user: '+15550001' },
    offer: (address) => buildOffer({ ...audio, address }),
    codecs: ['PCMU'],
    ringTimeoutMs: 5_000,
    ...options,
  });
}

export async function resultOf(call: OutgoingCall): Promise<CallResult> {
  const [result] = (await once(call, 'ended')) as [CallResult];
  return result;
}

/** Answers with PCMU, or offers it when the INVITE had no offer. */
export function answerCall(call: IncomingCall): void {
  const ours = { ...audio, address: call.remote.address.includes(':') ? '::1' : audio.address };
  call.answer(call.offer ? buildAnswer(call.offer, ours)! : buildOffer(ours));
}
