import { expect, it } from '@jest/globals';
import { ProviderUnavailable } from '../voice-provider.js';
import { connectionError, retryAfter } from './server-errors.js';

const serverErrorOf = (code: string) =>
  connectionError('openai-realtime', Object.assign(new Error('secret detail'), { code }));

it.each([
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
  ['EPROTO', 'check that the port expects wss://'],
])('the TLS error %s is explained and permanent', (code, sentence) => {
  expect(serverErrorOf(code)).toBeInstanceOf(ProviderUnavailable);
  expect(serverErrorOf(code).message).toContain(sentence);
});

it.each(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT'])('the network error %s is temporary', (code) => {
  expect(serverErrorOf(code)).not.toBeInstanceOf(ProviderUnavailable);
  expect(serverErrorOf(code).message).toBe(`The server of openai-realtime cannot be reached (${code}).`);
});

it.each([
  ['3', 3000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After: %j means a wait of %j ms', (header, ms) => expect(retryAfter(header, 10_000)).toBe(ms));
