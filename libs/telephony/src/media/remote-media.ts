import type { Codec } from './media-port.js';
import type { SrtpKey } from './srtp-keys.js';

/** A UDP address: an IP literal and a port. */
export interface Address {
  address: string;
  port: number;
}

/** The far end as its SDP describes it. Plain data: it may be handed to another thread. */
export interface RemoteMedia extends Address {
  codec: Codec;
  payloadType: number;
  /** Of telephone-event towards the far end. */
  dtmfPayloadType?: number;
  /** The type we offered, when the far end answered with another: what it sends may carry either (RFC 3264 §6.1). */
  offeredDtmfPayloadType?: number;
  /**
   * The described address must not be sent to (private, refused): RTP goes to the source of RTP from this IP address, and
   * nowhere before that.
   */
  latchTo?: string;
  /** False while the far end has us on hold. */
  sendAudio: boolean;
  /** Absent: plain RTP. `local` encrypts what we send, `remote` is what the far end encrypts with (RFC 4568 §6.1). */
  srtp?: { local: SrtpKey; remote: SrtpKey };
  /** Where RTCP goes: the address of the RTP itself when both sides multiplex (RFC 5761). Absent: no RTCP. */
  rtcp?: Address;
}
