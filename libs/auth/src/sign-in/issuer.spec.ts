import { Egress } from '@app/egress';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { TestIssuer } from '../../../../test/support/test-issuer.js';
import { Issuer, IssuerUnavailable } from './issuer.js';

let server: TestIssuer;
let egress: Egress;
let issuer: Issuer;
let now = 0;

beforeAll(async () => {
  server = await TestIssuer.start();
  egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
});
afterAll(async () => {
  await egress?.close();
  await server?.stop();
});
beforeEach(() => {
  now = 0;
  server.isDown = false;
  issuer = new Issuer(server.url, egress, () => now);
});

const verify = async () => {
  const token = await server.sign({ sub: 'anna' });
  return jwtVerify(token, (header, jws) => issuer.key(header, jws)).then(({ payload }) => payload.sub);
};
const loads = () => server.requests.filter((one) => one === 'GET /jwks').length;

it('a new key of the issuer is loaded at its first token, at most once in 30 s', async () => {
  expect(await verify()).toBe('anna');
  await server.rotate();
  const before = loads();
  await expect(verify()).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  expect(loads()).toBe(before);
  now += 30_000;
  expect(await Promise.all([verify(), verify(), verify()])).toEqual(['anna', 'anna', 'anna']);
  expect(loads()).toBe(before + 1);
});

it('known keys stay in use for a day while the issuer is down', async () => {
  expect(await verify()).toBe('anna');
  server.isDown = true;
  now += 23 * 3_600_000;
  expect(await verify()).toBe('anna');
  now += 2 * 3_600_000;
  await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable);
});

it('an issuer that is down is asked every 5 s at most', async () => {
  server.isDown = true;
  await expect(issuer.metadata()).rejects.toBeInstanceOf(IssuerUnavailable);
  const before = server.requests.length;
  await expect(issuer.metadata()).rejects.toBeInstanceOf(IssuerUnavailable);
  expect(server.requests).toHaveLength(before);
  server.isDown = false;
  now += 5_000;
  await expect(issuer.metadata()).resolves.toMatchObject({ issuer: server.url });
});

it('an issuer outside of private networks must use https', async () => {
  const open = new Issuer('http://login.example.com', egress, () => now);
  await expect(open.metadata()).rejects.toThrow('An issuer must use https.');
});

it('an internal address that is not allowed is not asked', async () => {
  const closed = new Egress({ allowCidrs: [], httpsOnly: false });
  const before = server.requests.length;
  await expect(new Issuer(server.url, closed, () => now).metadata()).rejects.toBeInstanceOf(IssuerUnavailable);
  expect(server.requests).toHaveLength(before);
  await closed.close();
});
