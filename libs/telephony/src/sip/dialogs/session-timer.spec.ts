import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { contactOf, inDialog, PEER_SDP as SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';
import { newRequest, type SipRequest, type SipResponse } from '../messages/message.js';
import type { OutgoingCall } from '../user-agent/outgoing-call.js';
import { responseTo } from '../messages/responses.js';
import { intervalTooSmall, termsOfRequest, termsOfResponse, writeTerms } from './session-timer.js';
import type { SipUserAgent } from '../user-agent/user-agent.js';

const withSdp = `\r\nContent-Type: application/sdp\r\nContent-Length: ${SDP.length}\r\n\r\n${SDP}`;

function request(headers: Record<string, string>): SipRequest {
  const one = newRequest('INVITE', 'sip:x@127.0.0.1');
  one.headers.push('via', 'v').push('from', 'f').push('to', 't').push('call-id', 'c').push('cseq', '1 INVITE');
  for (const [name, value] of Object.entries(headers)) one.headers.push(name, value);
  return one;
}

function ok(sessionExpires?: string): SipResponse {
  const response = responseTo(request({}), 200);
  if (sessionExpires !== undefined) response.headers.push('session-expires', sessionExpires);
  return response;
}

describe('the agreed session timer (RFC 4028)', () => {
  it.each([
    ['1800;refresher=uac', { intervalS: 1_800, weRefresh: true }],
    ['1800 ; Refresher = UAS', { intervalS: 1_800, weRefresh: false }],
    ['90', { intervalS: 90, weRefresh: true }],
    ['9999999999', { intervalS: 86_400, weRefresh: true }],
    ['0', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('follows from a 200 with %j', (value, terms) => {
    expect(termsOfResponse(ok(value))).toEqual(terms);
  });

  it.each([
    [
      { 'session-expires': '300;refresher=uas', supported: 'timer' },
      { intervalS: 300, weRefresh: true },
    ],
    [
      { 'session-expires': '300;refresher=uac', supported: 'timer' },
      { intervalS: 300, weRefresh: false },
    ],
    [
      { 'session-expires': '300', supported: 'timer' },
      { intervalS: 300, weRefresh: false },
    ],
    // A proxy requests the timer; the caller does not support it.
    [{ 'session-expires': '300' }, { intervalS: 300, weRefresh: true }],
    [{ supported: 'timer' }, undefined],
  ])('follows from a request with %j', (headers, terms) => {
    expect(termsOfRequest(request(headers as Record<string, string>))).toEqual(terms);
  });

  it.each([
    [{ 'session-expires': '89', supported: '100rel, timer' }, 422],
    [{ 'session-expires': '90', supported: 'timer' }, undefined],
    [{ 'session-expires': '89' }, undefined],
  ])('answers an interval of %j with %s', (headers, status) => {
    expect(intervalTooSmall(request(headers as Record<string, string>), 90)?.status).toBe(status);
  });
});

// RFC 4028 §9: the refresher of a 2xx is named by its side of the transaction; we are the UAS.
it.each([
  [true, '300;refresher=uas', undefined],
  [false, '300;refresher=uac', 'timer'],
])('our 2xx to a request, when we refresh: %s, has Session-Expires %s', (weRefresh, value, required) => {
  const response = responseTo(request({ 'session-expires': '300', supported: 'timer' }), 200);
  writeTerms(response, { intervalS: 300, weRefresh });
  expect([response.headers.get('session-expires'), response.headers.get('require')]).toEqual([value, required]);
});

describe('the caller', () => {
  let peer: RawSipPeer;
  let agent: SipUserAgent;

  usePeerAndAgent((started) => ({ peer, agent } = started), { sessionTimer: { expiresS: 1_800, minSeS: 1 } });

  /** Answered with that Session-Expires. */
  async function established(
    sessionExpires: string,
    allow = 'INVITE, UPDATE',
  ): Promise<{ call: OutgoingCall; invite: string }> {
    const call = dial(agent, peer.port);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    const headers = [contactOf(peer), `Session-Expires: ${sessionExpires}`, `Allow: ${allow}`];
    peer.reply(invite, '200 OK', { tag: 'peer', headers, body: SDP });
    await peer.next('ACK');
    await answered;
    return { call, invite };
  }

  it('repeats the INVITE with the interval of a 422, a limited number of times', async () => {
    const ended = resultOf(dial(agent, peer.port));
    let invite = await peer.next('INVITE');
    expect(headerOf(invite, 'Session-Expires')).toBe('1800');
    for (const least of [3_600, 4_000, 5_000]) {
      peer.reply(invite, '422 Session Interval Too Small', { tag: 'peer', headers: [`Min-SE: ${least}`] });
      invite = await peer.nextOther('INVITE', invite);
      expect([headerOf(invite, 'Session-Expires'), headerOf(invite, 'Min-SE')]).toEqual([`${least}`, `${least}`]);
    }
    peer.reply(invite, '422 Session Interval Too Small', { tag: 'peer', headers: ['Min-SE: 6000'] });
    expect(await ended).toMatchObject({ kind: 'rejected', status: 422 });
  });

  it('sends the Min-SE of a 422 in each refresh', async () => {
    const call = dial(agent, peer.port);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    peer.reply(invite, '422 Session Interval Too Small', { tag: 'peer', headers: ['Min-SE: 3600'] });
    const again = await peer.nextOther('INVITE', invite);
    // An interval below that Min-SE, so that the test does not take half an hour.
    const headers = [contactOf(peer), 'Session-Expires: 1;refresher=uac', 'Allow: INVITE, UPDATE'];
    peer.reply(again, '200 OK', { tag: 'peer', headers, body: SDP });
    await answered;
    const update = await peer.next('UPDATE');
    expect(headerOf(update, 'Min-SE')).toBe('3600');
    peer.reply(update, '422 Session Interval Too Small', { headers: ['Min-SE: 4000'] });
    expect(headerOf(await peer.nextOther('UPDATE', update), 'Min-SE')).toBe('4000');
  });

  it('refreshes by UPDATE repeatedly, each time with the agreed interval', async () => {
    const { call } = await established('1;refresher=uac');
    let update = '';
    for (let i = 0; i < 3; i++) {
      update = await peer.nextOther('UPDATE', update);
      expect(headerOf(update, 'Session-Expires')).toBe('1;refresher=uac');
      expect(headerOf(update, 'Content-Length')).toBe('0');
      peer.reply(update, '200 OK', { headers: ['Session-Expires: 1;refresher=uac'] });
    }
    const ended = resultOf(call);
    call.hangup();
    expect(await ended).toEqual({ kind: 'bye', by: 'local' });
  });

  it('refreshes by a re-INVITE with the same description when the remote party does not allow UPDATE', async () => {
    const { invite } = await established('1;refresher=uac', 'INVITE, ACK, BYE');
    const again = await peer.nextOther('INVITE', invite);
    expect(headerOf(again, 'Session-Expires')).toBe('1;refresher=uac');
    expect(again.split('\r\n\r\n')[1]).toBe(invite.split('\r\n\r\n')[1]);
    peer.reply(again, '200 OK', { headers: [contactOf(peer), 'Session-Expires: 1;refresher=uac'], body: SDP });
    expect(headerOf(await peer.next('ACK'), 'CSeq')).toBe('2 ACK');
  });

  it('tries a re-INVITE when an allowed UPDATE is refused, and a longer interval after a 422', async () => {
    const { invite } = await established('1;refresher=uac');
    peer.reply(await peer.next('UPDATE'), '501 Not Implemented');
    const again = await peer.nextOther('INVITE', invite);
    peer.reply(again, '422 Session Interval Too Small', { headers: ['Min-SE: 7'] });
    const longer = await peer.nextOther('INVITE', again);
    expect(headerOf(longer, 'Session-Expires')).toBe('7;refresher=uac');
    peer.reply(longer, '200 OK', { headers: [contactOf(peer)], body: SDP });
    await peer.next('ACK');
  });

  it.each(['481 Call/Transaction Does Not Exist', '408 Request Timeout'])(
    'hangs up when the response is %s',
    async (verdict) => {
      const { call } = await established('1;refresher=uac');
      const ended = resultOf(call);
      peer.reply(await peer.next('UPDATE'), verdict);
      await peer.next('BYE');
      expect(await ended).toEqual({ kind: 'session-expired' });
    },
  );

  it('hangs up when its refreshes are refused until the session expires', async () => {
    const { call } = await established('1;refresher=uac');
    const ended = resultOf(call);
    peer.reply(await peer.next('UPDATE'), '500 Server Internal Error');
    peer.reply(await peer.next('UPDATE'), '500 Server Internal Error');
    expect(await ended).toEqual({ kind: 'session-expired' });
  });

  it('hangs up when the remote party does not refresh', async () => {
    const { call } = await established('1;refresher=uas');
    const ended = resultOf(call);
    await peer.next('BYE');
    expect(await ended).toEqual({ kind: 'session-expired' });
  });

  it.each(['UPDATE', 'INVITE'])('continues when the remote party sends %s in time', async (method) => {
    const { call, invite } = await established('1;refresher=uas');
    const { call: forgotten } = await established('1;refresher=uas');
    const headers = [contactOf(peer), 'Supported: timer', 'Session-Expires: 3600;refresher=uac'];
    peer.send(inDialog(peer, invite, method, 10, { headers, ...(method === 'INVITE' ? { body: SDP } : {}) }));
    const response = await peer.next('SIP/2.0 200');
    expect(headerOf(response, 'Session-Expires')).toBe('3600;refresher=uac');
    expect(headerOf(response, 'Require')).toBe('timer');
    if (method === 'INVITE') peer.send(inDialog(peer, invite, 'ACK', 10));
    expect(await resultOf(forgotten)).toEqual({ kind: 'session-expired' });
    peer.send(inDialog(peer, invite, 'OPTIONS', 11));
    await peer.next('SIP/2.0 200');
    const ended = resultOf(call);
    call.hangup();
    expect(await ended).toEqual({ kind: 'bye', by: 'local' });
  });

  it('refuses an interval below its own', async () => {
    const { invite } = await established('300;refresher=uas');
    agent.sessionTimer.minSeS = 90;
    const headers = [contactOf(peer), 'Supported: timer', 'Session-Expires: 60;refresher=uac'];
    peer.send(inDialog(peer, invite, 'UPDATE', 10, { headers }));
    expect(headerOf(await peer.next('SIP/2.0 422'), 'Min-SE')).toBe('90');
  });
});

describe('the called side', () => {
  let time: VirtualTime;

  beforeEach(() => {
    time = VirtualTime.start();
  });
  afterEach(async () => {
    await closeAgents();
    await time.stop();
  });

  it('refuses a short interval, and the caller repeats the INVITE with a longer one', async () => {
    const [caller, callee] = await Promise.all([
      startAgent({ sessionTimer: { expiresS: 60, minSeS: 60 } }),
      startAgent({ sessionTimer: { expiresS: 1_800, minSeS: 120 } }),
    ]);
    const asked: (string | undefined)[] = [];
    callee.onInvite((call) => {
      asked.push(call.header('Session-Expires'));
      answerCall(call);
    });
    await once(dial(caller, callee.port), 'answered');
    expect(asked).toEqual(['120']);
  });

  describe.each([
    ['supports session timers', ['Supported: timer', 'Min-SE: 2']],
    ['does not support them', []],
  ])('with a caller that requests no session timer and %s', (_, extra) => {
    let peer: RawSipPeer;
    let ended: Promise<string>;
    let ok: string;
    let agreed: string[];

    function request(method: string): string {
      const lines = [`${method} sip:100@127.0.0.1 SIP/2.0`];
      lines.push(`Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKtimer${method}`);
      lines.push('From: <sip:peer@127.0.0.1>;tag=peer', `To: ${ok || '<sip:100@127.0.0.1>'}`, 'Call-ID: timer');
      lines.push(`CSeq: 1 ${method}`, contactOf(peer), ...extra, 'Allow: INVITE, UPDATE', 'Content-Length: 0');
      return [...lines, '', ''].join('\r\n');
    }

    beforeEach(async () => {
      ok = '';
      const [raw, agent] = await Promise.all([
        RawSipPeer.start(),
        startAgent({ sessionTimer: { expiresS: 1, minSeS: 1 } }),
      ]);
      peer = raw;
      ended = new Promise((resolve) =>
        agent.onInvite((call) => {
          call.once('ended', resolve);
          answerCall(call);
        }),
      );
      peer.send(request('INVITE'), agent.port);
      const response = await peer.next('SIP/2.0 200');
      agreed = [headerOf(response, 'Session-Expires'), headerOf(response, 'Require')];
      ok = headerOf(response, 'To');
      peer.send(request('ACK').replace('\r\nContent-Length: 0\r\n\r\n', withSdp), agent.port);
    });
    afterEach(() => {
      peer.leave();
      peer.close();
    });

    it('refreshes the session, and hangs up when the caller responds with 481', async () => {
      // The Min-SE of the caller is the longer of the two.
      expect(agreed).toEqual([extra.length > 0 ? '2;refresher=uas' : '1;refresher=uas', '']);
      const update = await peer.next('UPDATE');
      peer.reply(update, '200 OK');
      await peer
        .nextOther('UPDATE', update)
        .then((second) => peer.reply(second, '481 Call/Transaction Does Not Exist'));
      expect(await ended).toBe('expired');
    });
  });

  it('continues while the caller refreshes, and hangs up when the refreshes stop', async () => {
    const timer = { sessionTimer: { expiresS: 1, minSeS: 1 } };
    let refreshes = 0;
    let refreshed = (): void => undefined;
    const twice = new Promise<void>((resolve) => (refreshed = resolve));
    const [caller, callee] = await Promise.all([
      startAgent({
        ...timer,
        tap: (direction, message) => {
          const answer = direction === 'in' && message.kind === 'response';
          if (answer && message.headers.get('cseq')?.endsWith('UPDATE') && ++refreshes === 2) refreshed();
        },
      }),
      startAgent(timer),
    ]);
    const ended = new Promise<string>((resolve) => {
      callee.onInvite((call) => {
        call.once('ended', resolve);
        answerCall(call);
      });
    });
    const call = dial(caller, callee.port);
    await once(call, 'answered');
    await twice;
    // From here on the caller does not respond.
    caller.layer.dispose();
    expect(await ended).toBe('expired');
  });
});
