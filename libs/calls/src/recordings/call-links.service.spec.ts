import { describe, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { CallLinksService } from './call-links.service.js';

const SECRET = 'a secret of the tests, long enough';
const ENV = { PUBLIC_URL: 'https://calls.example.com/', PORT: 3000 };
const linksOf = (...keys: ConstructorParameters<typeof Encryption>) =>
  new CallLinksService(ENV, new Encryption(...keys));
const links = linksOf(SECRET);
const call = { id: '01890000-0000-7000-8000-000000000001', account_id: 3 };

describe.each([
  ['recording', 'opensRecording', 'opensTranscript'],
  ['transcript', 'opensTranscript', 'opensRecording'],
] as const)('a link to a %s', (kind, opens, opensOther) => {
  const link = new URL(links[kind](call, 3_600));
  const expires = link.searchParams.get('expires') ?? '';
  const signature = link.searchParams.get('signature') ?? '';
  const proof = { expires, signature };

  it('contains the call id and expires after its hour', () => {
    expect(link.href).toContain(`https://calls.example.com/api/v1/${kind}s/${call.id}?expires=`);
    expect(links[opens](call, proof)).toBe(true);
    expect(links[opens](call, proof, (Number(expires) + 1) * 1000)).toBe(false);
  });

  it.each([
    ['another call', { ...call, id: '01890000-0000-7000-8000-000000000002' }, expires, signature],
    ['another account', { ...call, account_id: 4 }, expires, signature],
    ['a later expiry', call, String(Number(expires) + 60), signature],
    ['no expiry', call, '', signature],
    ['a hexadecimal expiry', call, `0x${Number(expires).toString(16)}`, signature],
    ['no signature', call, expires, ''],
    ['a shorter signature', call, expires, signature.slice(0, -1)],
    ['a changed signature', call, expires, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
  ])('does not work with %s', (_name, changed, at, sign) => {
    expect(links[opens](changed, { expires: at, signature: sign })).toBe(false);
  });

  it('does not open the other kind', () => {
    expect(links[opensOther](call, proof)).toBe(false);
  });

  it('does not work under another key', () => {
    expect(linksOf('another secret of the tests, as long')[opens](call, proof)).toBe(false);
  });

  it('works while its key is a fallback, and new links are signed with the new key', () => {
    const rotated = linksOf('another secret of the tests, as long', [SECRET]);
    expect(rotated[opens](call, proof)).toBe(true);
    const signed = new URL(rotated[kind](call, 3_600));
    const proofOfNew = {
      expires: signed.searchParams.get('expires') ?? '',
      signature: signed.searchParams.get('signature') ?? '',
    };
    expect(links[opens](call, proofOfNew)).toBe(false);
  });
});

it('links point to this machine when no public URL is set', () => {
  const local = new CallLinksService({ PORT: 3000 }, new Encryption(SECRET));
  expect(local.recording(call, 60)).toMatch(/^http:\/\/localhost:3000\/api\/v1\/recordings\//);
});
