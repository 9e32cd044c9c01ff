import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SipTrunkEntity } from '@app/accounts';
import { WorkspaceModule } from './workspace.module.js';
import { WorkspaceService } from './workspace.service.js';
import { Encryption } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';
import { basename, dirname, join } from 'node:path';
import { DataSource } from 'typeorm';
import { type Certificate, TestAuthority } from '../../../test/full/interop/certificates.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openServices } from '../../../test/support/services.js';
import { suiteWith } from '../../../test/support/suite-with.js';

const SECRET_KEY = 'a secret key of more than 32 characters';
const encryption = new Encryption(SECRET_KEY);
let database: TestDatabase;
let services: INestApplicationContext;
let dataSource: DataSource;
let authority: TestAuthority;
let ours: Certificate;
let theirs: Certificate;

const suite = suiteWith(['openssl']);

const file = (account: string, trunk: object) => JSON.stringify({ accounts: [{ name: account, trunks: [trunk] }] });

/** The output of `apply`, and the stored trunk. */
async function apply(account: string, trunk: object) {
  const path = join(dirname(ours.certFile), 'workspace.yaml');
  const tree = await services.get(WorkspaceService).apply(file(account, trunk), path);
  const shown = tree.accounts[0]!.trunks[0]!;
  return { shown, stored: await dataSource.manager.findOneByOrFail(SipTrunkEntity, { id: shown.id }) };
}

const refused = (account: string, trunk: object): Promise<string> =>
  apply(account, trunk).then(
    () => 'it was applied',
    (error: Error) => error.message,
  );

const everything = () => ({
  name: 'carrier',
  targets: [
    { host: 'backup.example.net', priority: 20 },
    { host: 'sbc1.example.net', port: 5071, transport: 'tls', priority: 10 },
    { host: '2001:db8::7', transport: 'tcp', priority: 10 },
  ],
  tls: {
    ca: theirs.cert,
    // As seen from the workspace file.
    cert: { file: basename(ours.certFile) },
    key: { file: ours.keyFile },
    server_name: 'sbc.example.net',
  },
  username: 'acme',
  password: 'pa55word',
  from_domain: 'acme.example.net',
  assert_identity: true,
  user_phone: false,
  headers: { 'X-Order-Id': 'order_id', 'User-to-User': 'uui' },
  codecs: ['G722', 'PCMA'],
  srtp: 'required',
  transfer: 'refer',
  livekit_trunk_id: 'ST_abc123',
  dial_formats: { extensions: { min_digits: 2, max_digits: 5 } },
  options_ping_seconds: 30,
  concurrent_calls: 10,
  calls_per_second: 2,
});

suite('a trunk with all settings', () => {
  beforeAll(async () => {
    authority = new TestAuthority();
    [ours, theirs] = [authority.issue(['DNS:ours.example']), authority.issue(['DNS:theirs.example'])];
    database = await createTestDatabase();
    services = await openServices({ DATABASE_URL: database.url, SECRET_KEY }, [WorkspaceModule]);
    dataSource = services.get(DataSource);
  });

  afterAll(async () => {
    await services?.close();
    await database?.drop();
    authority?.remove();
  });

  it('is stored with all settings, its key and password encrypted, its targets in order', async () => {
    const { stored } = await apply('whole', everything());
    expect(stored).toMatchObject({
      // The columns for processes of an earlier release.
      host: 'sbc1.example.net',
      port: 5071,
      transport: 'tls',
      targets: [
        { host: 'sbc1.example.net', port: 5071, transport: 'tls', priority: 10 },
        { host: '2001:db8::7', transport: 'tcp', priority: 10 },
        { host: 'backup.example.net', priority: 20 },
      ],
      tlsCa: theirs.cert,
      tlsCert: ours.cert,
      tlsServerName: 'sbc.example.net',
      fromDomain: 'acme.example.net',
      assertIdentity: true,
      userPhone: false,
      headers: { 'X-Order-Id': 'order_id', 'User-to-User': 'uui' },
      codecs: ['G722', 'PCMA'],
      srtp: 'required',
      transfer: 'refer',
      livekitTrunkId: 'ST_abc123',
      dialFormats: { extensions: { min_digits: 2, max_digits: 5 } },
      optionsPingSeconds: 30,
    });
    expect(encryption.decrypt(stored.tlsKeySealed!, 'trunk-tls-key')).toBe(ours.key);
    expect(encryption.decrypt(stored.passwordSealed!, 'trunk-password')).toBe('pa55word');
  });

  it('is shown as written, without its secrets', async () => {
    const { shown } = await apply('shown', everything());
    const { password: _password, tls, ...rest } = everything();
    expect(shown).toMatchObject({ ...rest, tls: { ca: tls.ca, cert: tls.cert, server_name: tls.server_name } });
    const text = JSON.stringify(shown);
    expect(text).not.toContain('pa55word');
    expect(text).not.toContain('PRIVATE');
    expect(text).not.toContain(ours.keyFile);
  });

  it('does not change when the file is applied again, and keeps the values of absent keys', async () => {
    await apply('twice', everything());
    expect((await apply('twice', everything())).shown.result).toBe('unchanged');
    const { targets } = everything();
    const { shown, stored } = await apply('twice', { name: 'carrier', targets, srtp: 'off' });
    expect(shown.result).toBe('updated');
    expect(stored).toMatchObject({ srtp: 'off', transfer: 'refer', tlsCert: ours.cert, codecs: ['G722', 'PCMA'] });
  });

  it('loses values that null clears, and its targets when the file has one host', async () => {
    await apply('clears', everything());
    const one = { name: 'carrier', host: 'one.example.net', port: null, transport: 'udp' };
    const { stored } = await apply('clears', { ...one, tls: null, headers: null, codecs: null, dial_formats: null });
    expect(stored).toMatchObject({ host: 'one.example.net', port: null, transport: 'udp', targets: null });
    expect(stored).toMatchObject({ tlsCa: null, tlsKeySealed: null, headers: {}, codecs: null, dialFormats: null });
  });

  it('with one host has one target and the earlier settings', async () => {
    const { stored } = await apply('before', { name: 'carrier', host: 'sip.example.net', port: 5070 });
    expect(stored).toMatchObject({
      host: 'sip.example.net',
      port: 5070,
      transport: 'udp',
      targets: null,
      userPhone: true,
      assertIdentity: false,
      srtp: 'off',
      transfer: 'bridge',
      optionsPingSeconds: 60,
    });
  });

  it.each<[string, () => object, string]>([
    ['a missing file', () => ({ ca: { file: 'nowhere.pem' } }), 'tls.ca names a file that cannot be read (ENOENT)'],
    ['a key as a certificate', () => ({ ca: { file: ours.keyFile } }), 'tls.ca contains no certificate in PEM'],
    [
      'a damaged certificate',
      () => ({ ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
      'tls.ca contains an invalid certificate',
    ],
    [
      'the key of another certificate',
      () => ({ cert: { file: ours.certFile }, key: { file: theirs.keyFile } }),
      'tls.key is not the key of the certificate',
    ],
    [
      'a certificate as a key',
      () => ({ cert: { file: ours.certFile }, key: { file: ours.certFile } }),
      'tls.key contains no private key in PEM',
    ],
  ])('is refused with %s', async (_, tls, fault) => {
    expect(await refused('refused', { name: 'carrier', host: 'a.example', transport: 'tls', tls: tls() })).toContain(
      `workspace.yaml:1: accounts[0].trunks[0].${fault}`,
    );
  });

  it.each([
    ['extensions as long as public numbers', { extensions: { max_digits: 8 } }, 'extensions.max_digits must be'],
    ['an empty range', { extensions: { min_digits: 5, max_digits: 3 } }, 'extensions must have a min_digits'],
    ['an unknown format', { national: true }, 'extensions is missing'],
  ])('is refused with %s in dial_formats', async (_, dial_formats, fault) => {
    expect(await refused('refused', { name: 'carrier', host: 'a.example', dial_formats })).toContain(
      `accounts[0].trunks[0].dial_formats.${fault}`,
    );
  });
});
