import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { UserAgentOptions } from '../user-agent/user-agent.js';

afterEach(closeAgents);

const headers = { 'X-Large': 'x'.repeat(1_300) };

async function tapped(options: Partial<UserAgentOptions> = {}) {
  const sent: string[] = [];
  const agent = await startAgent({
    ...options,
    tap: (direction, message, flow) => {
      if (direction === 'out' && message.kind === 'request') sent.push(`${message.method} ${flow.transport}`);
    },
  });
  return { agent, sent };
}

describe('a request above 1300 bytes (RFC 3261 §18.1.1)', () => {
  it('goes over TCP, and so does its CANCEL', async () => {
    const [{ agent, sent }, callee] = await Promise.all([tapped(), startAgent()]);
    callee.onInvite((call) => {
      expect([call.remote.transport, call.header('Via')?.slice(0, 11)]).toEqual(['tcp', 'SIP/2.0/TCP']);
      call.ring();
    });
    const call = dial(agent, callee.port, { headers });
    await once(call, 'ringing');
    call.hangup();
    expect(await resultOf(call)).toEqual({ kind: 'cancelled' });
    expect(sent).toEqual(['INVITE tcp', 'CANCEL tcp', 'ACK tcp']);
  });

  it('continues over the transport of the remote Contact', async () => {
    const [{ agent, sent }, callee] = await Promise.all([tapped(), startAgent()]);
    callee.onInvite(answerCall);
    const call = dial(agent, callee.port, { headers });
    await once(call, 'answered');
    call.hangup();
    await closeAgents();
    // A repeated 2xx is acknowledged again.
    expect([...new Set(sent)]).toEqual(['INVITE tcp', 'ACK tcp', 'BYE tcp']);
  });

  it('falls back to UDP when TCP is refused, and does not try TCP again', async () => {
    const [{ agent, sent }, peer] = await Promise.all([tapped(), RawSipPeer.start()]);
    for (let i = 0; i < 2; i++) {
      const call = dial(agent, peer.port, { headers });
      const invite = await peer.next('INVITE');
      expect(invite).toContain('Via: SIP/2.0/UDP');
      peer.reply(invite, '486 Busy Here', { tag: 'peer' });
      expect(await resultOf(call)).toMatchObject({ status: 486 });
      await peer.next('ACK');
    }
    expect(new Set(sent)).toEqual(new Set(['INVITE tcp', 'INVITE udp', 'ACK udp']));
    expect(sent.filter((one) => one === 'INVITE tcp')).toHaveLength(1);
    peer.close();
  });

  it('of an endpoint without TCP goes over UDP', async () => {
    const [{ agent, sent }, callee] = await Promise.all([tapped({ transports: ['udp'] }), startAgent()]);
    callee.onInvite((call) => call.reject(486));
    expect(await resultOf(dial(agent, callee.port, { headers }))).toMatchObject({ status: 486 });
    // A busy machine may repeat the INVITE.
    expect([...new Set(sent)]).toEqual(['INVITE udp', 'ACK udp']);
  });
});
