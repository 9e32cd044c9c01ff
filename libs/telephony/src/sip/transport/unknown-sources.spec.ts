import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { Admission } from './admission.js';
import type { SipUserAgent } from '../user-agent/user-agent.js';

const CREDENTIALS = { username: 'carrier', password: 'correct horse' };

let peer: RawSipPeer;
let agent: SipUserAgent;
let callers: string[][];
let known: Record<string, string[]>;

beforeEach(async () => {
  known = {};
  callers = [];
  const log = { debug: () => undefined, warn: () => undefined };
  const admission = new Admission({
    callers: () => ({
      byAddress: (address) => known[address] ?? [],
      byContact: () => [],
      byRegistrar: () => [],
      usesContacts: false,
      byUsername: (name) => (name === CREDENTIALS.username ? [{ name: '7', password: CREDENTIALS.password }] : []),
      usesDigest: true,
    }),
    algorithms: ['SHA-256', 'MD5'],
    log,
  });
  [peer, agent] = await Promise.all([RawSipPeer.start(), startAgent({ admit: admission.admit })]);
  agent.onInvite((call) => {
    callers.push([...call.callers]);
    if (call.requestUser === '+15550002') answerCall(call);
    else call.reject(404);
  });
});
afterEach(async () => {
  await closeAgents();
  peer.close();
});

let sent = 0;
function request(method: string, more: { user?: string; to?: string; extra?: string[] } = {}): string {
  const uri = `sip:${more.user ?? '+15550002'}@127.0.0.1`;
  sent += 1;
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKstranger${sent};rport`,
    'From: <sip:peer@127.0.0.1>;tag=peer',
    `To: <${uri}>${more.to ?? ''}`,
    `Call-ID: stranger${sent}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:peer@127.0.0.1:${peer.port}>`,
    ...(more.extra ?? []),
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

async function answerTo(text: string): Promise<string> {
  peer.send(text, agent.port);
  for (;;) {
    // Ignores responses to earlier requests, which were never acknowledged.
    const answer = await peer.next('SIP/2.0');
    if (headerOf(answer, 'Call-ID') === headerOf(text, 'Call-ID')) return answer;
  }
}

const headerNames = (message: string) =>
  message
    .split('\r\n')
    .slice(1)
    .filter((line) => line.includes(':'))
    .map((line) => line.split(':', 1)[0]!.toLowerCase());

const COPIED = ['via', 'from', 'to', 'call-id', 'cseq'];

describe('an unknown source', () => {
  it.each([
    ['INVITE', {}],
    ['INVITE', { user: '+15559999' }],
    ['INVITE', { extra: ['Require: 100rel'] }],
    ['OPTIONS', {}],
    ['REGISTER', {}],
    ['DANCE', {}],
  ])('gets the same challenge for %s %j', async (method, more) => {
    const answer = await answerTo(request(method, more));
    expect(answer).toMatch(/^SIP\/2\.0 401 Unauthorized\r\n/);
    expect(headerNames(answer)).toEqual([...COPIED, 'www-authenticate', 'www-authenticate', 'content-length']);
    expect(answer).not.toMatch(/trunkline/i);
    expect(callers).toEqual([]);
  });

  it.each([
    ['BYE', { to: ';tag=x' }],
    ['INFO', { to: ';tag=x' }],
    ['CANCEL', {}],
  ])('gets 481 for %s %j, and nothing else', async (method, more) => {
    const answer = await answerTo(request(method, more));
    expect(answer).toMatch(/^SIP\/2\.0 481 /);
    expect(headerNames(answer)).toEqual([...COPIED, 'content-length']);
  });

  it.each<[string, string, () => string]>([
    ['with an unknown dialog', '481', () => request('BYE', { to: ';tag=x' })],
    ['that cancel an unknown INVITE', '481', () => request('CANCEL')],
    ['that are malformed', '400', () => request('INVITE', { extra: ['not a header'] })],
  ])('gets a bounded number of responses to requests %s', async (_, code, text) => {
    for (let i = 0; i < 20; i++) expect(await answerTo(text())).toMatch(new RegExp(`^SIP/2\\.0 ${code} `));
    for (let i = 0; i < 50; i++) peer.send(text(), agent.port);
    // Responses are sent in the order of the requests, so an earlier one would be received first.
    const last = request('OPTIONS');
    peer.send(last, agent.port);
    const answer = await peer.next('SIP/2.0');
    expect([headerOf(answer, 'Call-ID'), answer.slice(8, 11)]).toEqual([headerOf(last, 'Call-ID'), '401']);
  });

  it('is challenged every time over UDP, for every request, and leaves no state', async () => {
    const answers: string[] = [];
    for (let i = 0; i < 200; i++) answers.push(await answerTo(request('INVITE', { user: `${1000 + i}` })));
    expect(new Set(answers.map((answer) => answer.slice(8, 11)))).toEqual(new Set(['401']));
    expect(agent.layer.open).toBe(0);
    expect(callers).toEqual([]);
  });

  it('cannot lock out the trunk whose address its UDP packets carry', async () => {
    const guess =
      'Digest username="carrier", realm="sip", nonce="x", uri="sip:x", response="x", qop=auth, cnonce="x", nc=00000001';
    for (let i = 0; i < 50; i++) await answerTo(request('INVITE', { extra: [`Authorization: ${guess}`] }));
    const call = dial(await startAgent(), agent.port, { credentials: CREDENTIALS });
    call.on('answered', () => call.hangup());
    expect(await resultOf(call)).toMatchObject({ kind: 'bye', by: 'local' });
    expect(callers).toEqual([['7']]);
  });
});

describe('a known caller', () => {
  it('is admitted by its address, including unsupported methods', async () => {
    known['127.0.0.1'] = ['3', '4'];
    peer.send(request('INVITE', { user: '+15559999' }), agent.port);
    await peer.next('SIP/2.0 404');
    expect(callers).toEqual([['3', '4']]);
    expect(await answerTo(request('REGISTER'))).toMatch(/^SIP\/2\.0 405 /);
    expect(headerOf(await answerTo(request('OPTIONS')), 'Allow')).toContain('INVITE');
  });

  it.each<[string, string, () => string]>([
    ['481', 'with an unknown dialog', () => request('BYE', { to: ';tag=x' })],
    ['400', 'that are malformed', () => request('INVITE', { extra: ['not a header'] })],
  ])('gets %s to every request %s', async (code, _, text) => {
    known['127.0.0.1'] = ['3'];
    for (let i = 0; i < 50; i++) expect(await answerTo(text())).toMatch(new RegExp(`^SIP/2\\.0 ${code} `));
  });

  it('is admitted by digest, and its BYE needs no credentials', async () => {
    const call = dial(await startAgent(), agent.port, { credentials: CREDENTIALS });
    call.on('answered', () => call.hangup());
    expect(await resultOf(call)).toMatchObject({ kind: 'bye', by: 'local' });
    expect(callers).toEqual([['7']]);
  });

  it('is refused with a wrong password', async () => {
    const call = dial(await startAgent(), agent.port, { credentials: { ...CREDENTIALS, password: 'wrong' } });
    expect(await resultOf(call)).toMatchObject({ kind: 'rejected', status: 401 });
    expect(callers).toEqual([]);
  });

  it('can cancel while it rings', async () => {
    known['127.0.0.1'] = ['3'];
    agent.onInvite((call) => call.ring());
    const call = dial(await startAgent(), agent.port);
    call.on('ringing', () => call.hangup());
    expect(await resultOf(call)).toMatchObject({ kind: 'cancelled' });
  });
});
