import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  Authorizer,
  digestCredentials,
  digestResponse,
  matchesRequestUri,
  parseChallenge,
  strongestChallenges,
} from './digest.js';
import { UnsafeSipText } from './headers.js';
import { newRequest } from './message.js';
import { responseTo } from './responses.js';

const MUFASA = { username: 'Mufasa', method: 'GET', uri: '/dir/index.html', body: '', count: 1 };
const RFC7616 = '"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"';
const CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

describe('digestResponse', () => {
  it.each([
    ['RFC 7616 §3.9.1, MD5', 'MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['RFC 7616 §3.9.1, SHA-256', 'SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('%s', (_, algorithm, expected) => {
    const challenge = parseChallenge(
      `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce=${RFC7616}`,
    );
    const input = { ...MUFASA, password: 'Circle of Life', cnonce: CNONCE };
    expect(digestResponse(challenge!, input)).toBe(expected);
  });

  it('RFC 2617 §3.5', () => {
    const challenge = parseChallenge(
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
    );
    const input = { ...MUFASA, password: 'Circle Of Life', cnonce: '0a4f113b' };
    expect(digestResponse(challenge!, input)).toBe('6629fae49393a05397450978507c4ef1');
  });

  it('without qop, as RFC 2069 with its erratum', () => {
    const challenge = parseChallenge('Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"');
    const input = { ...MUFASA, password: 'CircleOfLife', cnonce: 'unused' };
    expect(digestResponse(challenge!, input)).toBe('1949323746fe6a43ef61f9606e7febea');
  });
});

/** The computation in the words of RFC 7616 §3.4, apart from the code. */
function expected(hash: string, parts: { session: boolean; qop: string; body: string; count: string }): string {
  const { session, qop, body, count } = parts;
  const H = (...texts: string[]): string => createHash(hash).update(texts.join(':')).digest('hex');
  const secret = H('bob', 'r', 'zanzibar');
  const a1 = session ? H(secret, 'n', 'c') : secret;
  const a2 = qop === 'auth-int' ? H('INVITE', 'sip:b@h', H(body)) : H('INVITE', 'sip:b@h');
  return qop === '' ? H(a1, 'n', a2) : H(a1, 'n', count, 'c', qop, a2);
}

describe('credentials for session algorithms and the integrity of the body', () => {
  const body = 'v=0\r\ns=Größe\r\n';
  const input = { username: 'bob', password: 'zanzibar', method: 'INVITE', uri: 'sip:b@h', cnonce: 'c', count: 2 };

  it.each([
    ['MD5', 'md5', 'auth-int'],
    ['MD5-sess', 'md5', 'auth'],
    ['MD5-sess', 'md5', 'auth-int'],
    ['MD5-sess', 'md5', ''],
    ['SHA-256-sess', 'sha256', 'auth'],
    ['SHA-512-256-sess', 'sha512-256', 'auth-int'],
  ])('%s (%s) with qop %j', (algorithm, hash, qop) => {
    const challenge = parseChallenge(`Digest realm="r", nonce="n", algorithm=${algorithm}${qop && `, qop="${qop}"`}`)!;
    const session = algorithm.endsWith('-sess');
    for (const one of [body, '']) {
      const value = digestCredentials(challenge, { ...input, body: one });
      const { response } = parse(value);
      expect(response).toBe(expected(hash, { session, qop, body: one, count: '00000002' }));
      expect(parse(value)).toMatchObject({ algorithm, cnonce: 'c', ...(qop && { qop, nc: '00000002' }) });
    }
  });

  it('use one cnonce for all requests with a nonce, and a new one for the next nonce', () => {
    const authorizer = new Authorizer({ username: 'bob', password: 'zanzibar' });
    const credentials = (): Record<string, string> => {
      const request = newRequest('BYE', 'sip:b@h');
      authorizer.apply(request);
      return parse(request.headers.get('authorization')!);
    };
    const challenged = (nonce: string): void => {
      const request = newRequest('INVITE', 'sip:b@h');
      for (const [name, value] of [
        ['from', '<sip:a@h>;tag=1'],
        ['to', '<sip:b@h>'],
        ['call-id', 'c'],
        ['cseq', '1 INVITE'],
      ] as const)
        request.headers.push(name, value);
      const response = responseTo(request, 401);
      response.headers.push(
        'www-authenticate',
        `Digest realm="r", nonce="${nonce}", algorithm=MD5-sess, qop="auth-int"`,
      );
      expect(authorizer.learn(response, new Set())).toBe(true);
    };
    challenged('first');
    const [one, two] = [credentials(), credentials()];
    expect([one.nc, two.nc, two.cnonce]).toEqual(['00000001', '00000002', one.cnonce]);
    challenged('second');
    expect(credentials()).toMatchObject({ nonce: 'second', nc: '00000001' });
    expect(credentials().cnonce).not.toBe(one.cnonce);
  });
});

/** The parameters of credentials. */
function parse(credentials: string): Record<string, string> {
  return Object.fromEntries(
    [...credentials.matchAll(/([\w-]+)=(?:"([^"]*)"|([^,]*))/g)].map(([, name, quoted, bare]) => [
      name,
      quoted ?? bare,
    ]),
  );
}

describe('credentials are for a Request-URI', () => {
  it.each([
    ['sip:+15550001111@h', 'sip:+15550001111;npdi;rn=+1555@h', true],
    ['sip:%2B15550001111@h', 'sip:+1-555-000-1111@h:5060', true],
    ['sip:h', 'sip:+15550001111@h', true],
    ['sip:+15550001112@h', 'sip:+15550001111@h', false],
    ['sip:+15550001111@other', 'sip:+15550001111@h', false],
    ['tel:+15550001112', 'tel:+15550001111', false],
  ])('%s and %s: %s', (claimed, requested, isSame) =>
    expect(matchesRequestUri({ uri: claimed }, requested)).toBe(isSame),
  );
});

describe('challenges', () => {
  it.each([
    ['Basic realm="x"'],
    ['Digest realm="x"'],
    ['Digest nonce="x"'],
    ['Digest realm="x", nonce="y", algorithm=MD4'],
    ['Digest realm="x", nonce="y", algorithm=toString'],
    ['Digest realm="x", nonce="y", algorithm=-sess'],
    ['Digest realm="x", nonce="y", algorithm=MD5-sess-sess'],
    ['Digest realm="x", nonce="y", qop="auth-conf"'],
  ])('%s cannot be answered', (value) => {
    expect(parseChallenge(value)).toBeUndefined();
  });

  it.each([
    ['Digest realm="x", nonce="y", algorithm=md5', { algorithm: 'MD5', isSession: false, qop: undefined }],
    ['Digest realm="x", nonce="y", algorithm=sha-256, qop="auth-int, Auth"', { algorithm: 'SHA-256', qop: 'auth' }],
    ['Digest realm="x", nonce="y", qop="auth-int"', { algorithm: 'MD5', qop: 'auth-int' }],
    ['Digest realm="x", nonce="y", algorithm=MD5-sess, qop="auth"', { algorithm: 'MD5', isSession: true, qop: 'auth' }],
    ['Digest realm="x", nonce="y", algorithm="sha-512-256-SESS"', { algorithm: 'SHA-512-256', isSession: true }],
  ])('%s can', (value, expected) => expect(parseChallenge(value)).toMatchObject(expected));

  it('uses the strongest algorithm of each realm', () => {
    const offered = ['MD5', 'SHA-256', 'MD5', 'AKAv1-MD5'].map(
      (one) => `Digest realm="a", nonce="n", algorithm=${one}`,
    );
    const chosen = strongestChallenges([...offered, 'Digest realm="b", nonce="n"']);
    expect(chosen.map((one) => [one.realm, one.algorithm])).toEqual([
      ['a', 'SHA-256'],
      ['b', 'MD5'],
    ]);
  });

  it('prefers the ordinary algorithm where its session variant is offered first', () => {
    const offered = ['MD5-sess', 'SHA-256-sess', 'SHA-256'].map(
      (one) => `Digest realm="a", nonce="n", algorithm=${one}`,
    );
    expect(strongestChallenges(offered)).toMatchObject([{ algorithm: 'SHA-256', isSession: false }]);
  });

  it('credentials have no count when the challenge has no qop (RFC 2617)', () => {
    const value = digestCredentials(parseChallenge('Digest realm="a", nonce="n"')!, {
      ...MUFASA,
      password: 'x',
      cnonce: 'c',
    });
    expect(value).not.toMatch(/qop|cnonce|nc=/);
  });

  it('credentials repeat the values of the challenge, escaped', () => {
    const challenge = parseChallenge('Digest realm="a \\"b\\"", nonce="n", opaque="o", qop="auth", stale=TRUE')!;
    expect(challenge).toMatchObject({ realm: 'a "b"', stale: true });
    const value = digestCredentials(challenge, { ...MUFASA, count: 11, password: 'x', cnonce: 'c' });
    expect(value).toMatch(
      /^Digest username="Mufasa", realm="a \\"b\\"", nonce="n", uri="\/dir\/index.html", response="[0-9a-f]{32}", algorithm=MD5, opaque="o", cnonce="c", qop=auth, nc=0000000b$/,
    );
  });
});

it('a user name with a line break is refused, because it would add a header', () => {
  expect(() => new Authorizer({ username: 'a\r\nX-B: c', password: 'x' })).toThrow(UnsafeSipText);
});
