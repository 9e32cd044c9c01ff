import { describe, expect, it } from '@jest/globals';
import { allowList } from '@app/common';
import { urlProblem, type UrlRules, isSameOrigin } from './url-rules.js';

const rules: UrlRules = { httpsOnly: false, allow: [] };

const INSIDE_LITERALS =
  `127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. 0.0.0.0 0 10.0.0.1 172.31.255.255 192.168.1.1
  169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 203.0.113.7 224.0.0.1 255.255.255.255 240.0.0.1
  [::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [64:ff9b::7f00:1] [2002:7f00:1::] [fd00:ec2::254] [fe80::1] [fc00::1] [ff02::1]
  [2001:db8::1] [100::1] ①②⑦.⓪.⓪.① 127。0。0。1 １２７.0.0.1 127%2e0.0.1`.split(/\s+/);

const INSIDE_NAMES = `localhost LOCALHOST localhost. foo.localhost metadata.google.internal kubernetes.default.svc
  db.svc.cluster.local redis printer.lan nas.home.arpa`.split(/\s+/);

describe('a URL', () => {
  it.each(INSIDE_LITERALS)('with the internal address %s is rejected', (host) =>
    expect(urlProblem(`http://${host}/`, rules)).toContain('internal address'),
  );

  it.each(INSIDE_NAMES)('with the internal host name %s is rejected', (host) =>
    expect(urlProblem(`https://${host}:6379/`, rules)).toContain('internal host name'),
  );

  it.each([
    ['', 'absolute http'],
    ['hooks.example.com/x', 'absolute http'],
    ['//hooks.example.com/x', 'absolute http'],
    ['http:/hooks.example.com', 'absolute http'],
    ['redis:6379', 'absolute http'],
    ['file:///etc/passwd', 'absolute http'],
    ['ftp://example.com/', 'absolute http'],
    ['gopher://example.com/', 'absolute http'],
    ['javascript:alert(1)', 'absolute http'],
    ['http://', 'absolute http'],
    ['http://exa mple.com/', 'spaces'],
    [' http://example.com/', 'spaces'],
    ['http://example.com/\r\nHost: inside', 'control'],
    ['http://exam\tple.com/', 'control'],
    ['http://example.com/\u0000', 'control'],
    ['http://example.com\\@127.0.0.1/', 'backslash'],
    ['http://user@example.com/', 'user name'],
    ['http://:secret@example.com/', 'user name'],
    ['http://example.com@127.0.0.1/', 'user name'],
    [`https://example.com/${'a'.repeat(2048)}`, 'longer than 2048'],
    [`https://example.com/${'ü'.repeat(1000)}`, 'longer than 2048'],
  ])('%j is rejected: %s', (url, why) => expect(urlProblem(url, rules)).toContain(why));

  it.each([
    'https://h.example.com:8443/x?y=1',
    'http://example.com',
    'HTTPS://EXAMPLE.COM/A',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://bücher.example/ü',
    'https://example.com./',
    `https://example.com/${'a'.repeat(2028)}`,
  ])('%s is accepted', (url) => expect(urlProblem(url, rules)).toBeUndefined());

  it('must use https if the installation requires it', () => {
    expect(urlProblem('http://example.com/', { ...rules, httpsOnly: true })).toContain('https://');
    expect(urlProblem('https://example.com/', { ...rules, httpsOnly: true })).toBeUndefined();
  });

  it('may be internal if the allow-list contains it; names are checked after resolution', () => {
    const allow = allowList(['127.0.0.0/8']);
    expect(urlProblem('http://127.0.0.1:4010/', { ...rules, allow })).toBeUndefined();
    expect(urlProblem('http://localhost:4010/', { ...rules, allow })).toBeUndefined();
    expect(urlProblem('http://10.0.0.1/', { ...rules, allow })).toContain('internal address');
    // The addresses that a proxy resolves are unknown.
    expect(urlProblem('http://localhost:4010/', { ...rules, allow, proxied: true })).toContain('internal host name');
  });
});

it.each([
  ['https://a.example/hook', 'https://a.example/other?x=1', true],
  ['https://a.example/hook', 'https://A.EXAMPLE:443/hook', true],
  ['https://a.example/hook', 'http://a.example/hook', false],
  ['https://a.example/hook', 'https://a.example:8443/hook', false],
  ['https://a.example/hook', 'https://b.example/hook', false],
  ['https://a.example/hook', 'https://a.example./hook', false],
  ['https://a.example/hook', 'https://a.example.b.example/hook', false],
  ['https://a.example/hook', 'https://a.example@b.example/hook', false],
  ['no url', 'no url', false],
])('%s and %s have the same origin: %s', (one, other, expected) => {
  expect(isSameOrigin(one, other)).toBe(expected);
  expect(isSameOrigin(other, one)).toBe(expected);
});
