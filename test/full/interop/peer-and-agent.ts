import { afterEach, beforeEach } from '@jest/globals';
import type { SipUserAgent, UserAgentOptions } from '@app/telephony';
import { VirtualTime } from '../../support/virtual-time.js';
import { closeAgents, startAgent } from './loopback-agents.js';
import { RawSipPeer } from './raw-sip-peer.js';

export interface PeerAndAgent {
  peer: RawSipPeer;
  agent: SipUserAgent;
}

/** Gives each test of the suite our SIP endpoint and a peer whose messages the test writes; timers run on a virtual clock. */
export function usePeerAndAgent(
  onStart: (started: PeerAndAgent) => void,
  options: Partial<UserAgentOptions> = {},
): void {
  let time: VirtualTime;
  let peer: RawSipPeer;

  beforeEach(async () => {
    time = VirtualTime.start();
    const [started, agent] = await Promise.all([RawSipPeer.start(), startAgent(options)]);
    peer = started;
    onStart({ peer, agent });
  });
  afterEach(async () => {
    peer.leave();
    await closeAgents();
    await time.stop();
    peer.close();
  });
}
