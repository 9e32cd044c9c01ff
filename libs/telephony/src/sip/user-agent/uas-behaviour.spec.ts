import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerCall, startAgent } from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { contactOf, PEER_SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { IncomingCall } from './incoming-call.js';
import type { SipUserAgent } from './user-agent.js';

let peer: RawSipPeer;
let agent: SipUserAgent;

let phone: RawSipPeer | undefined;

usePeerAndAgent((started) => ({ peer, agent } = started));
afterEach(() => {
  phone?.close();
  phone = undefined;
});

describe('the called side', () => {
  function request(method: string, extra: string[] = []): string {
    return [
      `${method} sip:100@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKraw${method}`,
      'From: <sip:peer@127.0.0.1>;tag=peer',
      'To: <sip:100@127.0.0.1>',
      'Call-ID: raw1',
      `CSeq: 1 ${method}`,
      `Contact: <sip:peer@127.0.0.1:${peer.port}>`,
      ...extra,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  }

  it.each([
    ['OPTIONS', [], '200'],
    ['INVITE', [], '405'],
    ['REGISTER', [], '405'],
    ['DANCE', [], '501'],
    ['BYE', [], '481'],
    ['CANCEL', [], '481'],
    ['OPTIONS', ['Require: precondition'], '420'],
  ])('answers %s %j with %s', async (method, extra, status) => {
    peer.send(request(method, extra), agent.port);
    const response = await peer.next(`SIP/2.0 ${status}`);
    expect(headerOf(response, 'To')).toMatch(/;tag=\w+$/);
  });

  it('ends a ringing call only by a CANCEL of its caller, even when others know its branch', async () => {
    const ended = new Promise<void>((resolve) => {
      agent.onInvite((call) => {
        call.on('cancelled', resolve);
        call.ring();
      });
    });
    const other = await RawSipPeer.start('127.0.0.2');
    peer.send(request('INVITE'), agent.port);
    await peer.next('SIP/2.0 180');
    const cancel = request('CANCEL').replace(/branch=\w+/, 'branch=z9hG4bKrawINVITE;rport');
    const forged: [RawSipPeer, string][] = [
      [other, cancel],
      [peer, cancel.replace('Call-ID: raw1', 'Call-ID: raw2')],
      [peer, cancel.replace(';tag=peer', ';tag=other')],
      [peer, cancel.replace(';tag=peer', '')],
    ];
    for (const [from, text] of forged) {
      from.send(text, agent.port);
      expect(await from.next('SIP/2.0')).toMatch(/^SIP\/2\.0 481 /);
    }
    other.close();
    expect(agent.held.calls).toBe(1);
    peer.send(cancel, agent.port);
    await peer.next('SIP/2.0 200');
    await peer.next('SIP/2.0 487');
    await ended;
  });

  it('returns names in ISO 8859-1 byte by byte in every response and in its BYE', async () => {
    phone = await RawSipPeer.start('127.0.0.1', 'latin1');
    const { port } = phone;
    agent.onInvite((call) => {
      call.ring();
      answerCall(call);
      call.on('confirmed', () => call.hangup());
    });
    const names = (text: string): string =>
      text
        .replace('From: <', 'From: "J\xfcrgen" <')
        .replace('To: <', 'To: Gr\xfc\xdfe <')
        .replace('Call-ID: raw1', 'Call-ID: raw\xe9')
        .replace(`127.0.0.1:${peer.port};`, `127.0.0.1:${port};x="\xa0\xff";`);
    const invite = names(request('INVITE')).replace('Content-Length: 0\r\n\r\n', '');
    const contact = `Contact: <sip:peer@127.0.0.1:${port}>`;
    phone.send(
      `${invite.replace(/^Contact: .*$/m, contact)}Content-Type: application/sdp\r\nContent-Length: ${PEER_SDP.length}\r\n\r\n${PEER_SDP}`,
      agent.port,
    );
    let to = '';
    for (const status of ['180', '200']) {
      const response = await phone.next(`SIP/2.0 ${status}`);
      for (const name of ['Via', 'From', 'Call-ID', 'CSeq'])
        expect(headerOf(response, name)).toBe(headerOf(invite, name));
      to = headerOf(response, 'To');
      expect(to).toMatch(/^Gr\xfc\xdfe <sip:100@127\.0\.0\.1>;tag=\w+$/);
    }
    phone.send(
      names(request('ACK'))
        .replace('1 INVITE', '1 ACK')
        .replace(/^To: .*$/m, `To: ${to}`),
      agent.port,
    );
    const bye = await phone.next('BYE');
    expect(headerOf(bye, 'To')).toBe(headerOf(invite, 'From'));
    expect(headerOf(bye, 'From')).toBe(to);
    expect(headerOf(bye, 'Call-ID')).toBe('raw\xe9');
    phone.reply(bye, '200 OK');
    phone.send(names(request('OPTIONS').replace('Content-Length: 0', 'Content-Length: 77')), agent.port);
    expect(headerOf(await phone.next('SIP/2.0 400'), 'From')).toBe(headerOf(invite, 'From'));
  });

  it('answers malformed requests with 400, counts them, and drops noise', async () => {
    peer.send('\0\0noise', agent.port);
    peer.send('\r\n\r\n', agent.port);
    peer.send(request('OPTIONS').replace('Content-Length: 0', 'Content-Length: 77'), agent.port);
    await peer.next('SIP/2.0 400');
    expect(agent.malformed).toBe(2);
  });

  it('sends an offer when the INVITE has none, and delays a BYE until the ACK', async () => {
    agent.onInvite((call) => {
      answerCall(call);
      call.hangup();
    });
    const invite = request('INVITE');
    peer.send(invite, agent.port);
    const ok = await peer.next('SIP/2.0 200');
    expect(ok).toContain('m=audio 40000');
    await peer.next('SIP/2.0 200');
    peer.send(request('ACK').replace('To: <sip:100@127.0.0.1>', `To: ${headerOf(ok, 'To')}`), agent.port);
    await peer.next('BYE sip:peer@127.0.0.1');
  });

  it('sends no re-INVITE before the ACK of its 2xx', async () => {
    let held: Promise<unknown> | undefined;
    agent.onInvite((call) => {
      answerCall(call);
      held = call.hold(true);
    });
    const sdp = `Content-Type: application/sdp\r\nContent-Length: ${PEER_SDP.length}\r\n\r\n${PEER_SDP}`;
    peer.send(request('INVITE').replace('Content-Length: 0\r\n\r\n', sdp), agent.port);
    const ok = await peer.next('SIP/2.0 200');
    expect(await peer.next('')).toMatch(/^SIP\/2\.0 200/);
    peer.send(request('ACK').replace('To: <sip:100@127.0.0.1>', `To: ${headerOf(ok, 'To')}`), agent.port);
    const reinvite = await peer.next('INVITE sip:peer@127.0.0.1');
    peer.reply(reinvite, '200 OK', { headers: [contactOf(peer)], body: PEER_SDP });
    expect(await held).toEqual({ accepted: true, status: 200 });
  });

  describe('when it closes before the ACK of its 2xx', () => {
    let ok: string;

    beforeEach(async () => {
      agent.onInvite(answerCall);
      peer.send(request('INVITE'), agent.port);
      ok = await peer.next('SIP/2.0 200');
    });

    it('delays its BYE until the ACK, and accepts no calls meanwhile', async () => {
      const closed = agent.close();
      peer.send(request('INVITE').replaceAll('raw', 'other'));
      const refused = await peer.next('SIP/2.0 503');
      // Ends the repetitions of the 503.
      peer.send(
        request('ACK')
          .replaceAll('raw', 'other')
          .replace('To: <sip:100@127.0.0.1>', `To: ${headerOf(refused, 'To')}`),
      );
      let next = refused;
      while (next.startsWith('SIP/2.0 503')) next = await peer.next('');
      expect(next).toMatch(/^SIP\/2\.0 200/);
      peer.send(request('ACK').replace('To: <sip:100@127.0.0.1>', `To: ${headerOf(ok, 'To')}`));
      peer.reply(await peer.next('BYE sip:peer@127.0.0.1'), '200 OK');
      await closed;
    });

    it('sends the BYE when the ACK never arrives', async () => {
      const closed = agent.close();
      expect(headerOf(await peer.next('BYE sip:peer@127.0.0.1'), 'Call-ID')).toBe('raw1');
      await closed;
    });
  });

  it('rings once when the same INVITE arrives over two paths', async () => {
    agent.onInvite((call) => call.ring());
    peer.send(request('INVITE'), agent.port);
    await peer.next('SIP/2.0 180');
    peer.send(request('INVITE').replace('z9hG4bKrawINVITE', 'z9hG4bKother'), agent.port);
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 482/);
  });

  it.each([
    ['SIP/2.0 180', (call: IncomingCall) => call.ring()],
    ['SIP/2.0 486', (call: IncomingCall) => call.reject(486)],
  ])('answers a repeated INVITE with the same %s, and notifies the application once', async (status, decide) => {
    // Slow timers: a second response is then an answer and not a retransmission.
    const slow = await startAgent({ timers: { t1: 10_000, t2: 10_000, t4: 10_000 } });
    const calls: string[] = [];
    slow.onInvite((call) => {
      calls.push(call.callId);
      decide(call);
    });
    for (let i = 0; i < 3; i++) {
      peer.send(request('INVITE'), slow.port);
      expect(await peer.next('SIP/2.0')).toContain(status);
    }
    expect(calls).toEqual(['raw1']);
  });

  it('sends 100 when the application is slow', async () => {
    agent.onInvite(() => undefined);
    peer.send(request('INVITE'), agent.port);
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 100 Trying/);
  });

  it('responds to the port of the Via when rport was not requested', async () => {
    const other = await RawSipPeer.start();
    const elsewhere = request('OPTIONS').replace(`127.0.0.1:${peer.port};branch`, `127.0.0.1:${other.port};branch`);
    peer.send(elsewhere, agent.port);
    const answer = await other.next('SIP/2.0').finally(() => other.close());
    expect(answer).toMatch(/^SIP\/2\.0 200/);
  });
});
