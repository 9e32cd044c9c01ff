import { describe, expect, it } from '@jest/globals';
import { ProviderUnavailable } from '../voice-provider.js';
import { connectionError, endpointOf, InsecureEndpoint } from './server-protocol.js';

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

describe('the endpoint of a voice provider', () => {
  it.each([
    ['wss://api.openai.com/v1/realtime', 'wss://api.openai.com/v1/realtime?model=m', { authorization: 'Bearer k' }],
    [
      'wss://n.openai.azure.com/openai/v1/realtime',
      'wss://n.openai.azure.com/openai/v1/realtime?model=m',
      { 'api-key': 'k' },
    ],
    [
      'wss://n.openai.azure.com/openai/realtime?api-version=2025-04-01&deployment=d',
      'wss://n.openai.azure.com/openai/realtime?api-version=2025-04-01&deployment=d',
      { 'api-key': 'k' },
    ],
    [
      'wss://azure.com.example/v1/realtime',
      'wss://azure.com.example/v1/realtime?model=m',
      { authorization: 'Bearer k' },
    ],
    ['ws://127.0.0.1:8000/v1/realtime', 'ws://127.0.0.1:8000/v1/realtime?model=m', { authorization: 'Bearer k' }],
    ['ws://[::1]:8000/v1/realtime', 'ws://[::1]:8000/v1/realtime?model=m', { authorization: 'Bearer k' }],
    ['ws://10.1.2.3/v1/realtime', 'ws://10.1.2.3/v1/realtime?model=m', { authorization: 'Bearer k' }],
  ])('the address %s becomes %s with %j', (base, url, credentials) => {
    const endpoint = endpointOf({ url: base, key: 'k', model: 'm' });
    expect(endpoint.url.href).toBe(url);
    expect(endpoint.headers).toEqual({ 'user-agent': expect.stringMatching(/^trunkline\//), ...credentials });
  });

  it('a public address without TLS is refused', () => {
    expect(() => endpointOf({ url: 'ws://8.8.8.8/v1/realtime' })).toThrow(InsecureEndpoint);
    expect(() => endpointOf({ url: 'ws://[2001:4860:4860::8888]/' })).toThrow('must be wss:// or https://');
  });

  it('a host name without TLS is checked at its DNS lookup', async () => {
    const { lookup } = endpointOf({ url: 'ws://localhost:8000/v1/realtime' });
    const found = await new Promise((resolve, reject) =>
      lookup?.('localhost', { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
    );
    expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ address: expect.any(String) })]));
  });
});
