import { describe, expect, it } from '@jest/globals';
import { InternalRequests } from './internal-requests.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const NOW = 1_800_000_000_000;
const PATH = '/internal/web-calls/0190?format=l16';
const signer = new InternalRequests({ SECRET_KEY: OLD, SECRET_KEY_FALLBACKS: [] });
const signed = { method: 'GET', url: PATH, headers: signer.sign('GET', PATH, NOW) };
const [expires, signature] = ['x-trunkline-expires', 'x-trunkline-signature'] as const;

describe('a request between processes', () => {
  it.each([
    ['as it was signed', signed, NOW, true],
    ['30 s later', signed, NOW + 30_000, true],
    ['31 s later', signed, NOW + 31_000, false],
    ['with another path', { ...signed, url: '/internal/web-calls/0191?format=l16' }, NOW, false],
    ['with another query', { ...signed, url: `${PATH}&resume=1` }, NOW, false],
    ['with another method', { ...signed, method: 'POST' }, NOW, false],
    ['without a signature', { ...signed, headers: {} }, NOW, false],
    ['that lives longer', { ...signed, headers: { ...signed.headers, [expires]: '1800000090' } }, NOW, false],
    ['with a short signature', { ...signed, headers: { ...signed.headers, [signature]: 'ab' } }, NOW, false],
  ])('%s', (_title, request, now, expected) => {
    expect(signer.isSigned(request, now)).toBe(expected);
  });

  it('is accepted from a process with the key before this one, and not from one with another key', () => {
    const rotated = new InternalRequests({ SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: [OLD] });
    expect(rotated.isSigned(signed, NOW)).toBe(true);
    expect(new InternalRequests({ SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: [] }).isSigned(signed, NOW)).toBe(false);
  });
});

describe('a resume token', () => {
  it('belongs to one call', () => {
    const token = signer.resumeToken('one');
    expect(signer.isResumeToken('one', token)).toBe(true);
    expect(signer.isResumeToken('two', token)).toBe(false);
    expect(signer.isResumeToken('one', '')).toBe(false);
  });
});
