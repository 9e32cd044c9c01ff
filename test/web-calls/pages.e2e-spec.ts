import { afterAll, describe, expect, it } from '@jest/globals';
import { Service } from '../support/service.js';

describe('the files of the widget', () => {
  const service = Service.get();

  afterAll(() => service.close());

  it.each(['widget.js', 'call-worklet.js', 'talk.js'])(
    '%s may be loaded by pages of any origin, and is kept for five minutes',
    async (file) => {
      const response = await fetch(`${service.baseUrl}/${file}`, { headers: { origin: 'https://shop.example.com' } });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': expect.stringMatching(/^(?:text|application)\/javascript; charset=utf-8$/i),
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
        'x-content-type-options': 'nosniff',
      });
      // Without the second one fetch asks for an answer that no cache has.
      const known = { 'if-none-match': response.headers.get('etag')!, 'cache-control': 'max-age=0' };
      const again = await fetch(response.url, { headers: known });
      expect(again.status).toBe(304);
    },
  );

  it('the widget has less than 25 KB', async () => {
    const script = await (await fetch(`${service.baseUrl}/widget.js`)).text();
    expect(Buffer.byteLength(script)).toBeLessThan(25_000);
  });

  it('/talk runs scripts of the service only, may use the microphone, and is shown in no frame', async () => {
    const response = await fetch(`${service.baseUrl}/talk`);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(response.headers.get('permissions-policy')).toBe('microphone=(self)');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.text()).toContain('<script src="talk.js">');
  });

  it('/talk/ leads to /talk', async () => {
    const response = await fetch(`${service.baseUrl}/talk/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '../talk']);
  });
});
