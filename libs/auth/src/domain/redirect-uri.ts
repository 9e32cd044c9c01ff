import { createHash } from 'node:crypto';

const CALLBACK = '/sign-in/callback';
/** 128 bits: no issuer can choose a URL with the key of another one. */
const KEY_LENGTH = 32;

/** The part of the redirect URI that belongs to an issuer. The manual computes it with `sha256sum`. */
const keyOf = (issuer: string): string => createHash('sha256').update(issuer).digest('hex').slice(0, KEY_LENGTH);

interface RedirectUriInput {
  /** Public address of the service, without a final slash. */
  base: string;
  /** Without a final slash; undefined: the issuer of the installation. */
  issuer: string | undefined;
  /** OIDC_ISSUER. */
  installationIssuer: string | undefined;
}

/**
 * RFC 9700 §4.4.2: each issuer has a redirect URI of its own, so that a code of one issuer cannot arrive in a sign-in at another one.
 * The short address belongs to the issuer of the installation, which operators choose; an account cannot claim it.
 */
export const redirectUriOf = ({ base, issuer, installationIssuer }: RedirectUriInput): string =>
  issuer === undefined || issuer === installationIssuer ? `${base}${CALLBACK}` : `${base}${CALLBACK}/${keyOf(issuer)}`;
