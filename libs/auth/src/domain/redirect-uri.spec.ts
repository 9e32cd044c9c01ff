import { describe, expect, it } from '@jest/globals';
import { redirectUriOf } from './redirect-uri.js';

const base = 'https://calls.example.com';
const installationIssuer = 'https://login.example.com/realms/company';
const of = (issuer: string, installation: string | undefined = installationIssuer) =>
  redirectUriOf({ base, issuer, installationIssuer: installation });

describe('the redirect URI of an issuer', () => {
  it('is the short one for the issuer of the installation only', () => {
    expect(of(installationIssuer)).toBe(`${base}/sign-in/callback`);
    expect(of('https://login.example.com/realms/other')).not.toBe(`${base}/sign-in/callback`);
    expect(redirectUriOf({ base, issuer: installationIssuer, installationIssuer: undefined })).not.toBe(
      `${base}/sign-in/callback`,
    );
  });

  it('differs for each issuer', () => {
    const issuers = ['https://a.example', 'https://a.example/x', 'https://b.example', 'http://a.example'];
    expect(new Set(issuers.map((issuer) => of(issuer))).size).toBe(issuers.length);
  });

  it('has the key that the manual computes with sha256sum', () => {
    expect(of('https://login.example.com/realms/acme')).toBe(
      `${base}/sign-in/callback/a75133ad3f7ef6e09c7091c4a52d3494`,
    );
  });
});
