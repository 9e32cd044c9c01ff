import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf, createTrunkline, type IgnoredField, placeCall, placeCalls, TrunklineError } from '@app/client';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
const ANA = `sip:busy@127.0.0.1:${service.sandboxPort}`;
const BEN = `sip:reject@127.0.0.1:${service.sandboxPort}`;

let own: Workspace;

beforeAll(async () => {
  own = await service.account();
});
afterAll(() => service.close());

const options = () => ({
  baseUrl: service.baseUrl,
  token: own.token,
  retries: 0,
});
const order = () => ({ agent_id: own.agentId, number_id: own.numberId });

describe('the client with the service', () => {
  it('refuses a list with repeated destinations unless reject_duplicates is false', async () => {
    const client = createTrunkline(options());
    const twice = { ...order(), to_number: [ANA, BEN, ANA] };
    const refused = await placeCalls(client, twice).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TrunklineError);
    expect(refused).toMatchObject({ status: 422, errors: { 'to_number.2': [expect.stringContaining('to_number.0')] } });
    expect((await bodyOf(client.GET('/api/v1/calls'))).meta.total).toBe(0);

    const placed = await placeCalls(client, { ...twice, reject_duplicates: false });
    expect(placed.map((call) => call.to_number)).toEqual([ANA, BEN, ANA]);
    expect(new Set(placed.map((call) => call.call_id)).size).toBe(3);
    expect((await bodyOf(client.GET('/api/v1/calls'))).meta.total).toBe(3);
  });

  it('warns once of each field that the service ignored, and names the field that was meant', async () => {
    const mistaken = { ...order(), to_number: ANA, recrod: false, 'x,é': 1 };
    const fields: IgnoredField[] = [];
    const client = createTrunkline({ ...options(), onIgnoredField: (field) => fields.push(field) });
    await placeCall(client, mistaken);
    await placeCall(client, mistaken);
    const route = { method: 'POST', path: '/api/v1/calls' };
    expect(fields).toEqual([
      { ...route, name: 'recrod', meant: 'record' },
      { ...route, name: 'x,é', meant: undefined },
    ]);
  });

  it('warns on the console when the program handles no warnings', async () => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    try {
      const mistaken = { ...order(), to_number: ANA, metadta: {} };
      await placeCall(createTrunkline(options()), mistaken);
      await placeCall(createTrunkline({ ...options(), onIgnoredField: false }), mistaken);
      expect(warn.mock.calls).toEqual([
        ['Trunkline ignored the unknown field `metadta` of POST /api/v1/calls. Did you mean `metadata`?'],
      ]);
    } finally {
      warn.mockRestore();
    }
  });
});
