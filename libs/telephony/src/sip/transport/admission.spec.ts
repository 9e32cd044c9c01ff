import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Admission,
  type AdmissionDecision,
  type AdmissionRequest,
  AttemptLimit,
  type KnownCallers,
  Nonces,
} from './admission.js';
import { type DigestAlgorithm, digestCredentials, parseChallenge } from '../messages/digest.js';

const CARRIER = '203.0.113.7';
const STRANGER = '198.51.100.9';
const PASSWORD = 'correct horse';

let now: number;
let warnings: unknown[];
let signing: boolean;
let admission: Admission;

const known: KnownCallers = {
  byAddress: (address) => (address === CARRIER ? ['1', '2'] : []),
  byContact: () => [],
  byRegistrar: () => [],
  usesContacts: false,
  byUsername: (username) => (username === 'carrier' ? [{ name: '3', password: PASSWORD }] : []),
  get usesDigest() {
    return signing;
  },
};

beforeEach(() => {
  now = 1_000_000;
  warnings = [];
  signing = true;
  admission = open(['SHA-256', 'MD5']);
});

const log = { debug: () => undefined, warn: (_: string, fields: object) => warnings.push(fields) };
const open = (algorithms: DigestAlgorithm[]) =>
  new Admission({ callers: () => known, log, algorithms, now: () => now });

const URI = 'sip:+15550001111@203.0.113.1:5060';
const ask = (more: Partial<AdmissionRequest> = {}): AdmissionDecision =>
  admission.admit({ method: 'INVITE', uri: URI, address: STRANGER, connected: false, authorization: [], ...more });

function challengesOf(verdict: AdmissionDecision): string[] {
  if (verdict.kind !== 'challenged') throw new Error(`not challenged but ${verdict.kind}`);
  return verdict.challenges;
}

/** The Authorization value that answers a challenge. */
function answer(
  challenge: string,
  more: { username?: string; password?: string; count?: number; method?: string; uri?: string } = {},
) {
  const { username = 'carrier', password = PASSWORD, count = 1, method = 'INVITE', uri = URI } = more;
  const input = { username, password, method, uri, body: '', count, cnonce: 'c' };
  return digestCredentials(parseChallenge(challenge)!, input);
}

const stale = (verdict: AdmissionDecision) => challengesOf(verdict).every((one) => one.endsWith('stale=true'));

describe('admission of inbound requests', () => {
  it('admits a known address with all its caller names', () =>
    expect(ask({ address: CARRIER })).toEqual({ kind: 'admitted', callers: ['1', '2'] }));

  it('challenges an unknown source, SHA-256 first', () =>
    expect(challengesOf(ask()).map((value) => parseChallenge(value)?.algorithm)).toEqual(['SHA-256', 'MD5']));

  it.each([0, 1])('admits a correct answer to challenge %i', (index) => {
    const authorization = [answer(challengesOf(ask())[index]!)];
    expect(ask({ authorization })).toEqual({ kind: 'admitted', callers: ['3'] });
  });

  it('ignores credentials of another realm or scheme that stand before ours', () => {
    const ours = answer(challengesOf(ask())[0]!);
    const authorization = ['Bearer abc', ours.replace('realm="sip"', 'realm="other"')];
    expect(ask({ authorization }).kind).toBe('challenged');
    expect(ask({ authorization: [...authorization, ours] }).kind).toBe('admitted');
  });

  it.each([
    ['a wrong password', { password: 'wrong' }],
    ['an unknown name', { username: 'nobody' }],
    ['an unknown name with the password that is hashed in its place', { username: 'nobody', password: 'decoy' }],
    ['credentials of another method', { method: 'REGISTER' }],
  ])('gives no hint about %s', (_, more) => {
    const [challenge] = challengesOf(ask());
    const [again] = challengesOf(ask({ authorization: [answer(challenge!, more)] }));
    expect(again!.replace(/nonce="[^"]+"/, '')).toBe(challenge!.replace(/nonce="[^"]+"/, ''));
  });

  it.each([
    ['the Request-URI', URI, 'admitted'],
    ['the Request-URI without its port and with a parameter', 'sip:+15550001111@203.0.113.1;user=phone', 'admitted'],
    ['our host and port without a user, as SIPp writes it', 'sip:203.0.113.1:5060', 'admitted'],
    ['another number', 'sip:+15550002222@203.0.113.1:5060', 'challenged'],
    ['another host', 'sip:+15550001111@198.51.100.1:5060', 'challenged'],
    ['another port', 'sip:+15550001111@203.0.113.1:5080', 'challenged'],
    ['another host without a user', 'sip:198.51.100.1', 'challenged'],
    ['no URI', 'x', 'challenged'],
  ])('with the right password and credentials for %s (%s) is %s', (_, uri, kind) => {
    const [challenge] = challengesOf(ask());
    expect(ask({ authorization: [answer(challenge!, { uri })] }).kind).toBe(kind);
  });

  it('refuses an algorithm that was not offered', () => {
    admission = open(['SHA-256']);
    const [challenge, ...others] = challengesOf(ask());
    expect(others).toEqual([]);
    const weak = challenge!.replace('SHA-256', 'MD5');
    expect(ask({ authorization: [answer(weak)] }).kind).toBe('challenged');
    expect(ask({ authorization: [answer(challenge!)] }).kind).toBe('admitted');
  });

  it('sends no challenge when no trunk uses digest', () => {
    signing = false;
    expect(ask()).toEqual({ kind: 'refused' });
  });
});

describe('a nonce', () => {
  it('is accepted with a higher count and stale with a used one', () => {
    const [challenge] = challengesOf(ask());
    const verdicts = [1, 2, 2, 1, 3].map((count) => ask({ authorization: [answer(challenge!, { count })] }));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'challenged', 'challenged', 'admitted']);
    expect(stale(verdicts[2]!)).toBe(true);
  });

  it.each([
    ['at another address', () => ({ address: '198.51.100.10' })],
    ['after five minutes', () => ((now += 300_001), {})],
  ])('is stale %s, with right and wrong passwords alike', (_, change) => {
    const [challenge] = challengesOf(ask());
    const facts = change();
    expect(stale(ask({ ...facts, authorization: [answer(challenge!)] }))).toBe(true);
    expect(stale(ask({ ...facts, authorization: [answer(challenge!, { password: 'wrong' })] }))).toBe(true);
  });

  it.each([
    ['of others', (nonce: string) => nonce.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))],
    ['that is malformed', () => 'x'],
  ])('%s is reported as stale', (_, change) => {
    const [challenge] = challengesOf(ask());
    const forged = challenge!.replace(/nonce="([^"]+)"/, (_all, nonce: string) => `nonce="${change(nonce)}"`);
    expect(stale(ask({ authorization: [answer(forged)] }))).toBe(true);
  });

  it('that was evicted is not accepted again', () => {
    const nonces = new Nonces(() => now, 2);
    const [first, second, third] = [nonces.issue('a'), nonces.issue('a'), ((now += 1), nonces.issue('a'))];
    expect([first, second, third].map((nonce) => nonces.use(nonce, 1, 'a'))).toEqual([true, true, true]);
    expect([first, second, third].map((nonce) => nonces.use(nonce, 2, 'a'))).toEqual([false, true, true]);
  });
});

describe('an unknown source', () => {
  const kinds = (count: number, more: () => Partial<AdmissionRequest> = () => ({})) =>
    Array.from({ length: count }, () => ask(more()).kind);

  const connected = true;

  it('gets 403 over TCP for five minutes after twenty challenges, with one log line', () => {
    const kindsOverTcp = (count: number) => kinds(count, () => ({ connected }));
    expect(kindsOverTcp(22).slice(19)).toEqual(['challenged', 'refused', 'refused']);
    expect(warnings).toEqual([{ source: STRANGER }]);
    now += 299_999;
    expect(kindsOverTcp(1)).toEqual(['refused']);
    now += 1;
    expect(kindsOverTcp(1)).toEqual(['challenged']);
  });

  it('is challenged every time over UDP: forged requests do not lock out the trunk of that address', () => {
    const [theirs] = challengesOf(ask({ address: '198.51.100.10' }));
    const forged = [
      () => ({}),
      () => ({ authorization: [answer(theirs!, { password: 'wrong' })] }),
      () => ({ authorization: [answer(theirs!.replace(/nonce="/, 'nonce="x'))] }),
      () => ({ authorization: [answer(theirs!, { username: 'nobody' })] }),
    ];
    for (const more of forged) expect(new Set(kinds(200, more))).toEqual(new Set(['challenged']));
    expect(ask({ authorization: [answer(challengesOf(ask())[0]!)] }).kind).toBe('admitted');
    expect(warnings).toEqual([]);
  });

  it('cannot guess passwords with foreign nonces: right and wrong passwords get the same response', () => {
    const [theirs] = challengesOf(ask({ address: '198.51.100.10' }));
    const answers = ['wrong', PASSWORD].map((password) =>
      challengesOf(ask({ authorization: [answer(theirs!, { password })] }))[0]!.replace(/nonce="[^"]+"/, ''),
    );
    expect(answers[0]).toBe(answers[1]);
  });

  it('gets twenty responses to stray requests, which neither lock it out nor extend the penalty', () => {
    expect(kinds(22, () => ({ stray: true })).slice(19)).toEqual(['refused', 'ignored', 'ignored']);
    expect(ask().kind).toBe('challenged');
    expect(ask({ stray: true, address: CARRIER }).kind).toBe('admitted');
    now += 300_000;
    expect(ask({ stray: true }).kind).toBe('refused');
  });

  it('is counted separately from others', () => {
    kinds(30, () => ({ connected }));
    expect(ask({ address: '198.51.100.10', connected }).kind).toBe('challenged');
    expect(ask({ address: CARRIER }).kind).toBe('admitted');
  });

  it('is counted per /64 of IPv6', () => {
    kinds(21, () => ({ address: '2001:db8:1:2::a', connected }));
    expect(ask({ address: '2001:db8:1:2:ffff::1', connected }).kind).toBe('refused');
    expect(ask({ address: '2001:db8:1:3::1', connected }).kind).toBe('challenged');
  });

  it('has ten guesses, after which even the right password is refused', () => {
    const guess = (password: string) => ask({ authorization: [answer(challenge!, { password })] }).kind;
    const [challenge] = challengesOf(ask());
    for (let i = 0; i < 11; i++) guess(`guess ${i}`);
    expect(guess(PASSWORD)).toBe('refused');
    expect(warnings).toEqual([{ source: STRANGER }]);
    now += 300_000;
    const [later] = challengesOf(ask());
    expect(ask({ authorization: [answer(later!)] }).kind).toBe('admitted');
  });

  it('is forgiven after correct credentials, because a trunk is challenged for every call', () => {
    for (let i = 0; i < 100; i++) {
      const authorization = [answer(challengesOf(ask({ connected }))[1]!)];
      expect(ask({ authorization, connected }).kind).toBe('admitted');
    }
    expect(warnings).toEqual([]);
  });

  it('is forgotten when there are too many', () => {
    const limit = new AttemptLimit({ attempts: 1, windowMs: 1, penaltyMs: 1, sources: 3 }, () => now);
    for (let i = 0; i < 1_000; i++) limit.count(`source ${i}`);
    expect(limit.size).toBe(3);
  });
});
