import { describe, expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { bySetting, UnusableSetting } from './setting-errors.js';

describe('the error of a setting with an unusable port or file', () => {
  it('names the variable of a file that is missing', async () => {
    const SIP_TLS_CERT = '/nowhere/tls.crt';
    const error: unknown = await readFile(SIP_TLS_CERT).catch((why: unknown) => why);
    const shown = bySetting(error, { SIP_TLS_KEY: '/nowhere/tls.key', SIP_TLS_CERT });
    expect(shown).toBeInstanceOf(UnusableSetting);
    expect((shown as Error).message).toBe('SIP_TLS_CERT /nowhere/tls.crt does not exist.');
  });

  it('names the variable of a port in use by another program', async () => {
    const first = createSocket('udp4').bind(0, '127.0.0.1');
    await once(first, 'listening');
    const SIP_PORT = first.address().port;
    const second = createSocket('udp4').bind(SIP_PORT, '127.0.0.1');
    const [error] = await once(second, 'error');
    const { message } = bySetting(error, { SIP_TLS_PORT: 5061, SIP_PORT }) as Error;
    expect(message).toBe(`SIP_PORT ${SIP_PORT} is in use by another program. Set SIP_PORT to a free port.`);
    first.close();
    second.close();
  });

  it.each([
    [{ code: 'EADDRINUSE', port: 5060 }, {}],
    [{ code: 'EADDRNOTAVAIL', port: 5060 }, { SIP_PORT: 5060 }],
    [{ code: 'ENOENT' }, { PRICE_BOOK: undefined }],
    ['a word', { SIP_PORT: 5060 }],
  ])('leaves %j unchanged with the settings %j', (error, settings) => expect(bySetting(error, settings)).toBe(error));
});
