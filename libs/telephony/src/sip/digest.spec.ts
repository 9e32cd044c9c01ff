import { describe, expect, it } from '@jest/globals';
import { Authorizer, digestCredentials, digestResponse, parseChallenge, strongestChallenges } from './digest.js';
import { UnsafeSipText } from './headers.js';

const MUFASA = { username: 'Mufasa', method: 'GET', uri: '/dir/index.html', count: 1 };
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

describe('challenges', () => {
  it.each([
    ['Basic realm="x"'],
    ['Digest realm="x"'],
    ['Digest nonce="x"'],
    ['Digest realm="x", nonce="y", algorithm=MD4'],
    ['Digest realm="x", nonce="y", algorithm=toString'],
    ['Digest realm="x", nonce="y", qop="auth-int"'],
  ])('%s cannot be answered', (value) => {
    expect(parseChallenge(value)).toBeUndefined();
  });

  it.each([
    ['Digest realm="x", nonce="y", algorithm=md5', { algorithm: 'MD5', qopAuth: false }],
    ['Digest realm="x", nonce="y", algorithm=sha-256, qop="auth-int, Auth"', { algorithm: 'SHA-256', qopAuth: true }],
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
