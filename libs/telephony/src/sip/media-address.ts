import type { SdpAudio } from '../sdp.js';
import type { UaCore } from './ua-core.js';

/**
 * A far end's description as it may be used. PBXs behind NAT write addresses that nothing may be sent to, and send their RTP all the
 * same: it is answered where it comes from, when that is where their signalling comes from (`peer`, an IP address). Undefined: nothing
 * may be sent there either, or its IP version is not spoken here.
 */
export function usableAudio(
  core: Pick<UaCore, 'permits' | 'speaks'>,
  audio: SdpAudio,
  peer: string,
): SdpAudio | undefined {
  if (!core.speaks(audio.address)) return undefined;
  if (core.permits(audio.address)) return audio;
  return core.permits(peer) ? { ...audio, latchTo: peer } : undefined;
}
