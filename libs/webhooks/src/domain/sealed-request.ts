import type { Encryption } from '@app/common';

/** What is sent, where the readable columns of a delivery are redacted. */
interface SentRequest {
  url: string;
  body: string;
  /** Secret digits that the headers refer to, by name; absent: none. */
  digits?: [name: string, digits: string][];
}

const CONTEXT = 'webhook-request';

/** base64, for a statement with JSON parameters. */
export const sealRequest = (encryption: Encryption, request: SentRequest): string =>
  encryption.encrypt(JSON.stringify(request), CONTEXT).toString('base64');

/** Throws when it was encrypted with another SECRET_KEY. */
export const openRequest = (encryption: Encryption, sealed: Buffer): SentRequest =>
  JSON.parse(encryption.decrypt(sealed, CONTEXT)) as SentRequest;
