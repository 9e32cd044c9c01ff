import { type Codec, openMediaSession, type MediaSession } from '@app/telephony';

type Ports = { min: number; max: number };

const PAYLOAD_TYPES: Record<Codec, number> = { PCMU: 0, PCMA: 8, G722: 9 };

/** Two ends of one call over UDP on the loopback, with telephone events. The caller closes both. */
export async function twoEnds(
  ports: Ports,
  codec: Codec = 'PCMA',
): Promise<{ agentSide: MediaSession; phone: MediaSession }> {
  const agentSide = await openMediaSession({ bindAddress: '127.0.0.1', ports });
  const phone = await openMediaSession({ bindAddress: '127.0.0.1', ports });
  phone.start(towards(agentSide, codec));
  agentSide.start(towards(phone, codec));
  return { agentSide, phone };
}

const towards = (other: MediaSession, codec: Codec) => ({
  address: '127.0.0.1',
  port: other.localPort,
  codec,
  payloadType: PAYLOAD_TYPES[codec],
  dtmfPayloadType: 101,
  sendAudio: true,
});
