import { openMediaSession, type MediaSession } from '@app/telephony';

type Ports = { min: number; max: number };

/** Two ends of one call over UDP on the loopback, in PCMA with telephone events. The caller closes both. */
export async function twoEnds(ports: Ports): Promise<{ agentSide: MediaSession; phone: MediaSession }> {
  const agentSide = await openMediaSession({ bindAddress: '127.0.0.1', ports });
  const phone = await openMediaSession({ bindAddress: '127.0.0.1', ports });
  phone.start(towards(agentSide));
  agentSide.start(towards(phone));
  return { agentSide, phone };
}

const towards = (other: MediaSession) => ({
  address: '127.0.0.1',
  port: other.localPort,
  codec: 'PCMA' as const,
  payloadType: 8,
  dtmfPayloadType: 101,
  sendAudio: true,
});
