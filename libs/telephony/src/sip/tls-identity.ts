import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * RFC 5922 §7.1: the certificate is that of `domain` when it says so as a SIP URI or as a DNS name. Against §7.2 a wildcard in
 * the left-most label of a DNS name counts, as everywhere else with TLS: carriers that serve many names have such certificates.
 * Undefined when the name is right.
 */
export function identityProblem(domain: string, certificate: PeerCertificate): Error | undefined {
  return sipUris(certificate.subjectaltname).includes(domain.toLowerCase())
    ? undefined
    : checkServerIdentity(domain, certificate);
}

function sipUris(alternatives = ''): string[] {
  // Node quotes what holds its own separators (CVE-2021-44532): such a list is not worth taking apart.
  if (alternatives.includes('"')) return [];
  const uris = alternatives.split(', ').filter((one) => one.startsWith('URI:sip:'));
  return uris.map((one) => one.slice('URI:sip:'.length).toLowerCase());
}
