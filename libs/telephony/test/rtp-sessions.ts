import { afterEach, beforeEach } from '@jest/globals';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { openMediaSession } from '../src/media/session/media-session.js';
import type { MediaOptions, MediaSession } from '../src/media/session/media-session.types.js';
import type { RemoteMedia } from '../src/media/session/media-port.js';
import type { PortRange } from '../src/media/rtp/rtp-port-pool.js';
import { RtpPeer } from './rtp-peer.js';

interface RtpSessions {
  open: (options?: Partial<MediaOptions>) => Promise<MediaSession>;
  openPeer: () => Promise<RtpPeer>;
}

/** Opens media sessions and RTP peers on loopback, closed after each test; timers run on a virtual clock. */
export function useRtpSessions(ports: PortRange): RtpSessions {
  const sessions: MediaSession[] = [];
  const peers: RtpPeer[] = [];
  let time: VirtualTime;

  beforeEach(() => {
    time = VirtualTime.start();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    await time.stop();
    for (const peer of peers.splice(0)) peer.socket.close();
  });
  return {
    open: async (options = {}) => {
      const session = await openMediaSession({ bindAddress: '127.0.0.1', ports, ...options });
      sessions.push(session);
      return session;
    },
    openPeer: async () => {
      const peer = await RtpPeer.open();
      peers.push(peer);
      return peer;
    },
  };
}

/** The peer as in its session description: PCMU with telephone events. */
export const remoteAt = (peer: RtpPeer, changes: Partial<RemoteMedia> = {}): RemoteMedia => ({
  address: '127.0.0.1',
  port: peer.port,
  codec: 'PCMU',
  payloadType: 0,
  dtmfPayloadType: 101,
  sendAudio: true,
  ...changes,
});
