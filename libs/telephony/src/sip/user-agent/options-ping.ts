import { randomTag } from '../../random-ids.js';
import type { Target } from '../transport/flow.js';
import { type PeerAddresses, trunkPeer } from '../messages/message-source.js';
import { hopUri, type NextHop } from '../locating/locate.js';
import { newRequest, type SipRequest } from '../messages/message.js';
import { finalResponse, NoAnswer } from '../transactions/single-request.js';
import { uriHost } from '../messages/sip-address.js';
import { TRANSPORT_ERROR_MEANINGS, transportErrorCode, type TransportErrorCode } from '../transport/transport-error.js';
import type { UaCore } from './ua-core.js';

/** Result of an OPTIONS request. */
export interface PingResult {
  reachable: boolean;
  /** The resolved target that is reachable. */
  responder?: Pick<Target, 'address' | 'port'>;
  /** Of the final response. */
  status?: number;
  /** Milliseconds from the request to the final response. */
  rttMs?: number;
  /** The reason, for the operator. */
  reason?: string;
}

const OUT_OF_ORDER: Record<number, string> = {
  408: 'The remote party responded with 408: the network behind it timed out.',
  503: 'The remote party responded with 503: it is out of service or overloaded.',
};

/**
 * RFC 3261 §11: sends OPTIONS to one target after the other until one is reachable. Any final response means a reachable target, also
 * 401 or 405; 408 and 503 mean that it accepts no calls. Never rejects.
 * @returns the result of the first target when none is reachable
 */
export async function ping(
  core: UaCore,
  hop: NextHop,
  { timeoutMs, callerName }: { timeoutMs: number; callerName?: string },
): Promise<PingResult> {
  let first: PingResult | undefined;
  try {
    const targets = await core.locate([hop]);
    const addresses = targets.map(({ address }) => address);
    const asked = { timeoutMs, peer: trunkPeer(core, callerName, addresses) };
    for (const target of targets) {
      const result = await pingTarget(core, hop, target, asked);
      if (result.reachable) return { ...result, responder: { address: target.address, port: target.port } };
      core.targetFailed(target);
      first ??= result;
    }
  } catch (error) {
    return unreachable(transportErrorCode(error));
  }
  return first!;
}

async function pingTarget(
  core: UaCore,
  hop: NextHop,
  target: Target,
  asked: { timeoutMs: number; peer: PeerAddresses },
): Promise<PingResult> {
  try {
    const flow = await core.flowTo(target);
    const sentAt = performance.now();
    const request = optionsRequest(core, hop, uriHost(flow.localAddress));
    const { status } = await finalResponse(core, request, flow, asked);
    const problem = OUT_OF_ORDER[status];
    const rttMs = performance.now() - sentAt;
    return { reachable: problem === undefined, status, rttMs, ...(problem === undefined ? {} : { reason: problem }) };
  } catch (error) {
    return unreachable(error instanceof NoAnswer ? 'timeout' : transportErrorCode(error));
  }
}

function optionsRequest(core: UaCore, hop: NextHop, localHost: string): SipRequest {
  const uri = hopUri(hop);
  const request = newRequest('OPTIONS', uri);
  request.headers
    .push('max-forwards', '70')
    .push('from', `<sip:ping@${localHost}>;tag=${randomTag()}`)
    .push('to', `<${uri}>`)
    .push('call-id', randomTag() + randomTag())
    .push('cseq', '1 OPTIONS')
    .push('accept', 'application/sdp')
    .push('user-agent', core.userAgent);
  return request;
}

function unreachable(problem: TransportErrorCode): PingResult {
  return { reachable: false, reason: TRANSPORT_ERROR_MEANINGS[problem] };
}
