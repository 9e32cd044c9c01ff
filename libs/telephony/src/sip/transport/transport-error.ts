import { ConnectTimeout } from './connections.js';
import { RefusedTarget, UnresolvedHost } from '../locating/locate.js';
import { ConnectionLost } from './stream-connection.js';

/** The reasons why a target cannot be reached, as sentences for the operator. */
export const TRANSPORT_ERROR_MEANINGS = {
  unresolved_host: 'The host name has no usable address.',
  blocked_address: 'The host resolves to a network that is not allowed for calls.',
  connection_refused: 'The connection was refused: nothing listens on that port.',
  no_route: 'There is no route to the address.',
  timeout: 'There was no response in time.',
  connection_lost: 'The remote party closed the connection.',
  untrusted_certificate: 'The certificate of the remote party is not signed by a trusted authority.',
  wrong_certificate_name: 'The certificate of the remote party is for another name.',
  expired_certificate: 'The certificate of the remote party has expired or is not valid yet.',
  client_certificate_refused: 'The remote party requires a client certificate, or rejects ours.',
  tls_not_spoken: 'The remote party does not speak TLS on that port.',
  tls_handshake_failed:
    'The TLS handshake failed: no common version or cipher, or the remote party requires a client certificate.',
  unknown: 'The message could not be sent.',
} as const;

export type TransportErrorCode = keyof typeof TRANSPORT_ERROR_MEANINGS;

/** By the codes of the system, of Node and of OpenSSL. */
const BY_CODE: Record<string, TransportErrorCode> = {
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  EADDRNOTAVAIL: 'no_route',
  EAFNOSUPPORT: 'no_route',
  EINVAL: 'no_route',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong_certificate_name',
  CERT_HAS_EXPIRED: 'expired_certificate',
  CERT_NOT_YET_VALID: 'expired_certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted_certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted_certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted_certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted_certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted_certificate',
  CERT_SIGNATURE_FAILURE: 'untrusted_certificate',
  CERT_CHAIN_TOO_LONG: 'untrusted_certificate',
  CERT_REVOKED: 'untrusted_certificate',
  CERT_UNTRUSTED: 'untrusted_certificate',
  CERT_REJECTED: 'untrusted_certificate',
  INVALID_CA: 'untrusted_certificate',
  INVALID_PURPOSE: 'untrusted_certificate',
  PATH_LENGTH_EXCEEDED: 'untrusted_certificate',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_spoken',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_not_spoken',
};

/** TLS alerts for a missing, foreign or expired client certificate. */
const CLIENT_CERTIFICATE =
  /ALERT_(?:CERTIFICATE_REQUIRED|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|BAD_CERTIFICATE|NO_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

export function transportErrorCode(error: unknown): TransportErrorCode {
  if (error instanceof UnresolvedHost) return 'unresolved_host';
  if (error instanceof RefusedTarget) return 'blocked_address';
  if (error instanceof ConnectTimeout) return 'timeout';
  if (error instanceof ConnectionLost) return 'connection_lost';
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const known = BY_CODE[code];
  if (known) return known;
  if (CLIENT_CERTIFICATE.test(code)) return 'client_certificate_refused';
  return /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/.test(code) ? 'tls_handshake_failed' : 'unknown';
}
