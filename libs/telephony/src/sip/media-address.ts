import { SdpProblem, type SdpAudio } from '../sdp.js';
import type { UaCore } from './ua-core.js';
import { ADDRESS_FAMILY, ADDRESS_NOT_ALLOWED, warningOf, type MediaWarning } from './warning.js';

/**
 * A far end's description as it may be used, or why it cannot be. PBXs behind NAT write addresses that nothing may be sent to, and send
 * their RTP all the same: it is answered where it comes from, when that is where their signalling comes from (`peer`, an IP address).
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
