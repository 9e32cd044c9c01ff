import { type SdpAudio, SdpProblem } from '../sdp-parse.js';
import type { LocalTerms } from '../sdp.js';
import type { SipRequest, SipResponse } from './message.js';
import { responseTo } from './responses.js';
import { uriHost } from './sip-address.js';
import type { UaCore } from './ua-core.js';

/** Why a session description cannot be accepted: a code and text of RFC 3261 §20.43. */
export class MediaWarning {
  constructor(
    readonly code: number,
    readonly text: string,
  ) {}

  /** The header; `host` names the side that warns. */
  toHeader(host: string): string {
    return `${this.code} ${uriHost(host)} "${this.text}"`;
  }
}

const ADDRESS_FAMILY = new MediaWarning(301, 'The IP version of the audio address is not spoken here');
const ADDRESS_NOT_ALLOWED = new MediaWarning(
  399,
  'No audio may be sent to the address of the audio stream, nor to where the signalling comes from',
);

const OF_PROBLEM: Record<SdpProblem['problem'], MediaWarning> = {
  'not a session description': new MediaWarning(399, 'The body is not a session description'),
  'too many streams': new MediaWarning(399, 'Too many media streams'),
  'no audio stream over RTP that we could take': new MediaWarning(304, 'No audio stream over RTP/AVP or RTP/SAVP'),
  'no address for the audio stream': new MediaWarning(399, 'No address for the audio stream'),
  'the address of the audio stream is no IP address': new MediaWarning(301, 'The media address must be an IP address'),
};

const warningOf = ({ problem }: SdpProblem): MediaWarning => OF_PROBLEM[problem];

/** Why an offer has nothing in common with ours: no codec, or encryption that only one side wants. */
export function incompatibility(ours: LocalTerms, theirs: SdpAudio): MediaWarning {
  const streams = [theirs, ...theirs.alternatives];
  if (!streams.some(({ codecs }) => codecs.some(({ codec }) => ours.codecs.includes(codec))))
    return new MediaWarning(305, `No audio format in common, only ${ours.codecs.join(', ')}`);
  const wanted = ours.srtp?.policy === 'required' ? 'SRTP is required' : 'SRTP is not available';
  return new MediaWarning(302, wanted);
}

/** 488 with a Warning. */
export function notAcceptable(request: SipRequest, host: string, warning: MediaWarning, toTag?: string): SipResponse {
  const response = responseTo(request, 488, toTag);
  response.headers.push('warning', warning.toHeader(host));
  return response;
}

/**
 * The usable form of a received description, or the reason why there is none. PBXs behind NAT describe forbidden addresses but send RTP: it
 * is answered at its source when that is the source of the signalling (`peer`, an IP address).
 */
export function usableAudio(
  core: Pick<UaCore, 'permits' | 'speaks'>,
  audio: SdpAudio | SdpProblem,
  peer: string,
): SdpAudio | MediaWarning {
  if (audio instanceof SdpProblem) return warningOf(audio);
  if (!core.speaks(audio.address)) return ADDRESS_FAMILY;
  if (core.permits(audio.address)) return audio;
  return core.permits(peer) ? { ...audio, latchTo: peer } : ADDRESS_NOT_ALLOWED;
}
