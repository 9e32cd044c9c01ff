import { describe, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { linksOf, publicUrl, LinkSigner } from './call-links.js';

const SECRET = 'a secret of the tests, long enough';
const encryption = new Encryption(SECRET);
const call = { id: '01890000-0000-7000-8000-000000000001', account_id: 3 };

describe.each([
  ['recording', 'recording-link', 'transcript-link'],
  ['transcript', 'transcript-link', 'recording-link'],
] as const)('a link to a %s', (kind, purpose, otherPurpose) => {
  const link = new URL(
    linksOf({ PUBLIC_URL: 'https://calls.example.com/', PORT: 3000 }, encryption)[kind](call, 3_600),
  );
  const expires = link.searchParams.get('expires') ?? '';
  const signature = link.searchParams.get('signature') ?? '';
  const signer = new LinkSigner(encryption, purpose);

  it('names the call and dies after its hour', () => {
    expect(link.href).toContain(`https://calls.example.com/api/v1/${kind}s/${call.id}?expires=`);
    expect(signer.verify(call, expires, signature)).toBe(true);
    expect(signer.verify(call, expires, signature, (Number(expires) + 1) * 1000)).toBe(false);
  });

  it.each([
    ['another call', { ...call, id: '01890000-0000-7000-8000-000000000002' }, expires, signature],
    ['another account', { ...call, account_id: 4 }, expires, signature],
    ['a later expiry', call, String(Number(expires) + 60), signature],
    ['no expiry', call, '', signature],
    ['an expiry in another spelling', call, `0x${Number(expires).toString(16)}`, signature],
    ['no signature', call, expires, ''],
    ['a shorter signature', call, expires, signature.slice(0, -1)],
    ['a changed signature', call, expires, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
  ])('is dead with %s', (_name, changed, at, sign) => expect(signer.verify(changed, at, sign)).toBe(false));

  it('opens nothing else', () => {
    expect(new LinkSigner(encryption, otherPurpose).verify(call, expires, signature)).toBe(false);
  });

  it('is dead under another key', () => {
    const other = new LinkSigner(new Encryption('another secret of the tests, as long'), purpose);
    expect(other.verify(call, expires, signature)).toBe(false);
  });

  it('lives on while its key is a fallback', () => {
    const rotated = new LinkSigner(new Encryption('another secret of the tests, as long', [SECRET]), purpose);
    expect(rotated.verify(call, expires, signature)).toBe(true);
    expect(rotated.sign(call, expires)).not.toBe(signature);
  });
});

it('links point to this machine when no public URL is set', () => {
  expect(publicUrl({ PORT: 3000 })).toBe('http://localhost:3000');
});
