import { describe, expect, it } from '@jest/globals';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { RegistrationOptions, RegistrationState } from './registration.js';
import type { SipUserAgent } from './user-agent.js';

let peer: RawSipPeer;
let agent: SipUserAgent;

usePeerAndAgent((started) => ({ peer, agent } = started));

const HOST = '127.0.0.1';
const CHALLENGE = 'WWW-Authenticate: Digest realm="pbx", nonce="n1", algorithm=MD5, qop="auth"';

/** A registration at the peer, with its states and a wait for the next one. */
function registering(given: Partial<RegistrationOptions> = {}) {
  const states: RegistrationState[] = [];
  let wake = (): void => undefined;
  const registration = agent.register(
    {
      hops: [{ host: HOST, port: peer.port, transport: 'udp' }],
      domain: 'pbx.example',
      credentials: { username: '1001', password: 'secret' },
      contactUser: 'line7',
      expiresSeconds: 600,
      ...given,
    },
    (state) => {
      states.push(state);
      wake();
    },
  );
  const state = async (wanted: RegistrationState['state']): Promise<RegistrationState> => {
    for (;;) {
      const found = states.find((one) => one.state === wanted);
      if (found) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { registration, states, state };
}

const contactsOf = (request: string): string[] =>
  request
    .split('\r\n')
    .filter((line) => line.startsWith('Contact: '))
    .map((line) => line.slice('Contact: '.length));

const accept = (request: string, headers = [`Contact: ${contactsOf(request)[0]}`]): void =>
  peer.reply(request, '200 OK', { tag: 'pbx', headers });

describe('a registration', () => {
  it('answers the challenge of the registrar, and is registered for the granted time', async () => {
    const { registration, state } = registering();
    const first = await peer.next('REGISTER sip:pbx.example SIP/2.0');
    expect(headerOf(first, 'To')).toBe('<sip:1001@pbx.example>');
    expect(headerOf(first, 'From')).toMatch(/^<sip:1001@pbx\.example>;tag=/);
    expect(contactsOf(first)).toEqual([`<sip:line7@${HOST}:${agent.port}>;expires=600`]);
    peer.reply(first, '401 Unauthorized', { tag: 'pbx', headers: [CHALLENGE] });
    const second = await peer.nextOther('REGISTER', first);
    expect(headerOf(second, 'Authorization')).toMatch(/^Digest username="1001", realm="pbx", nonce="n1"/);
    expect(headerOf(second, 'Call-ID')).toBe(headerOf(first, 'Call-ID'));
    const before = Date.now();
    accept(second, [`Contact: <sip:line7@${HOST}:${agent.port}>;expires=120`]);
    const registered = await state('registered');
    expect(registered).toMatchObject({ addresses: [HOST], contact: `sip:line7@${HOST}:${agent.port}` });
    const { until } = registered as { until: number };
    expect(until - before).toBeGreaterThanOrEqual(119_000);
    expect(until - before).toBeLessThan(130_000);
    const removed = registration.stop();
    const last = await peer.next('REGISTER');
    expect(contactsOf(last)).toEqual([`<sip:line7@${HOST}:${agent.port}>;expires=0`]);
    accept(last);
    await removed;
  });

  it('is refreshed before it ends, with the known nonce and a higher count', async () => {
    const { states, state } = registering();
    const first = await peer.next('REGISTER');
    peer.reply(first, '401 Unauthorized', { tag: 'pbx', headers: [CHALLENGE] });
    const second = await peer.nextOther('REGISTER', first);
    accept(second);
    await state('registered');
    const registeredAt = Date.now();
    const third = await peer.nextOther('REGISTER', second);
    expect(Date.now() - registeredAt).toBeGreaterThan(450_000);
    expect(Date.now() - registeredAt).toBeLessThan(600_000);
    expect(headerOf(third, 'Authorization')).toContain('nc=00000002');
    accept(third);
    expect(states.map(({ state: one }) => one)).not.toContain('failed');
  });

  it('keeps the path through a NAT open with keep-alives', async () => {
    const { state } = registering();
    accept(await peer.next('REGISTER'));
    await state('registered');
    const before = Date.now();
    const again = await peer.next('REGISTER');
    expect(peer.keepAlives).toBeGreaterThanOrEqual(Math.floor((Date.now() - before) / 25_000) - 1);
    expect(peer.keepAlives).toBeGreaterThan(10);
    accept(again);
  });

  it('takes a longer lifetime when the registrar asks for it', async () => {
    const { state } = registering({ expiresSeconds: 60 });
    const first = await peer.next('REGISTER');
    peer.reply(first, '423 Interval Too Brief', { tag: 'pbx', headers: ['Min-Expires: 1800'] });
    const second = await peer.nextOther('REGISTER', first);
    expect(contactsOf(second)[0]).toMatch(/;expires=1800$/);
    expect(headerOf(second, 'Expires')).toBe('1800');
    accept(second);
    await state('registered');
  });

  it.each([
    ['a wrong password', '401 Unauthorized', [CHALLENGE], 'The registrar refused the user name or the password.'],
    ['an unknown user', '404 Not Found', [], 'The registrar responded with 404 Not Found.'],
    ['an endless 423', '423 Interval Too Brief', ['Min-Expires: 99999999'], 'responded with 423'],
  ])('fails with a reason for %s, and asks seldom', async (_case, status, headers, reason) => {
    const { states, state } = registering();
    let requests = 0;
    const from = Date.now();
    const answer = async (): Promise<void> => {
      for (;;) {
        const request = await peer.next('REGISTER');
        requests++;
        peer.reply(request, status, { tag: 'pbx', headers });
      }
    };
    answer().catch(() => undefined);
    const failed = await state('failed');
    expect(failed).toMatchObject({ reason: expect.stringContaining(reason), status: Number(status.slice(0, 3)) });
    while (states.filter((one) => one.state === 'failed').length < 3)
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    // Half of 60 s, then half of 120 s, at least.
    expect(Date.now() - from).toBeGreaterThan(80_000);
    expect(requests).toBeLessThanOrEqual(6);
  });

  it('goes on at the next server when one is silent', async () => {
    const other = await RawSipPeer.start();
    const hops = [
      { host: HOST, port: peer.port, transport: 'udp' as const, priority: 0 },
      { host: HOST, port: other.port, transport: 'udp' as const, priority: 1 },
    ];
    const { state, states } = registering({ hops });
    const request = await other.next('REGISTER');
    other.reply(request, '200 OK', { tag: 'pbx', headers: [`Contact: ${contactsOf(request)[0]}`] });
    const registered = await state('registered');
    expect(registered).toMatchObject({ target: { port: other.port } });
    expect(states.map(({ state: one }) => one)).toEqual(['registering', 'registered']);
    other.close();
  });

  it('obeys Retry-After', async () => {
    const { state } = registering();
    const from = Date.now();
    peer.reply(await peer.next('REGISTER'), '503 Service Unavailable', { tag: 'pbx', headers: ['Retry-After: 300'] });
    expect(await state('failed')).toMatchObject({ status: 503 });
    await peer.next('REGISTER');
    expect(Date.now() - from).toBeGreaterThanOrEqual(300_000);
  });

  it('removes the address of the process that held it before', async () => {
    const { state } = registering({ replaces: 'sip:line7@192.0.2.7:5060' });
    const first = await peer.next('REGISTER');
    expect(contactsOf(first)[1]).toBe('<sip:line7@192.0.2.7:5060>;expires=0');
    accept(first);
    await state('registered');
    expect(contactsOf(await peer.next('REGISTER'))).toHaveLength(1);
  });

  it('names its outbound proxy in Route', async () => {
    registering({ viaProxy: true });
    const request = await peer.next('REGISTER sip:pbx.example');
    expect(headerOf(request, 'Route')).toBe(`<sip:${HOST}:${peer.port};lr>`);
    accept(request);
  });

  it.each([
    ['no lifetime', []],
    ['a lifetime of zero', ['Contact: <sip:line7@10.0.0.1:5060>;expires=0']],
    ['a lifetime that is no number', ['Contact: <sip:line7@10.0.0.1:5060>;expires=soon', 'Expires: never']],
    ['an endless lifetime', ['Contact: <sip:line7@10.0.0.1:5060>;expires=99999999999']],
    ['a lifetime of a second', ['Contact: <sip:line7@10.0.0.1:5060>;expires=1']],
    ['many bindings', Array.from({ length: 50 }, (_, i) => `Contact: <sip:line7@10.0.0.${i}>;expires=${i}`)],
  ])('is refreshed in bounded intervals after a response with %s', async (_case, headers) => {
    const { state } = registering();
    const first = await peer.next('REGISTER');
    accept(first, headers);
    const { until } = (await state('registered')) as { until: number };
    expect(until - Date.now()).toBeGreaterThan(4_000);
    expect(until - Date.now()).toBeLessThanOrEqual(86_400_000);
    const from = Date.now();
    accept(await peer.nextOther('REGISTER', first));
    expect(Date.now() - from).toBeGreaterThan(3_000);
  });
});
