import { describe, expect, it } from '@jest/globals';
import { endpointOf, InsecureEndpoint } from './endpoint.js';

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
  ])('the address %s leads to %s with %j', (base, url, credentials) => {
    const endpoint = endpointOf({ url: base, key: 'k', model: 'm' });
    expect(endpoint.url.href).toBe(url);
    expect(endpoint.headers).toEqual({ 'user-agent': expect.stringMatching(/^trunkline\//), ...credentials });
  });

  it('a public address without TLS is refused', () => {
    expect(() => endpointOf({ url: 'ws://8.8.8.8/v1/realtime' })).toThrow(InsecureEndpoint);
    expect(() => endpointOf({ url: 'ws://[2001:4860:4860::8888]/' })).toThrow('must be wss://');
  });

  it('a host name without TLS is checked at its DNS lookup', async () => {
    const { lookup } = endpointOf({ url: 'ws://localhost:8000/v1/realtime' });
    const found = await new Promise((resolve, reject) =>
      lookup?.('localhost', { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
    );
    expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ address: expect.any(String) })]));
  });
});
