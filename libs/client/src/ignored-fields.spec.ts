import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallOrder, placeCall } from './place-calls.js';
import { type IgnoredField, ignoredFields } from './ignored-fields.js';
import { createTrunkline, type TrunklineOptions } from './trunkline.js';

const ORDER: CallOrder = { agent_id: 1, number_id: 1, to_number: 'sip:a@127.0.0.1' };

describe('a field that the service ignored', () => {
  it.each([
    ['POST', '/api/v1/calls', 'recrod', 'record'],
    ['POST', '/api/v1/calls', 'recording', 'record'],
    ['POST', '/api/v1/calls', 'toNumber', 'to_number'],
    ['POST', '/api/v1/calls', 'agentId', 'agent_id'],
    ['GET', '/api/v1/calls', 'perPage', 'per_page'],
    ['POST', '/api/v1/agents/7/tools', 'webhook_actions.0.urll', 'url'],
    ['post', '/api/v1/agents/{agent_id}/tools', 'webhook_actions.0.timeout', undefined],
    ['POST', '/api/v1/calls', 'colour', undefined],
    ['POST', '/api/v1/calls', 'x', undefined],
    ['DELETE', '/api/v1/calls/4711', 'record', undefined],
    ['POST', '/api/v1/of-a-later-version', 'record', undefined],
  ])('in %s %s: for %s the suggestion is %s', (method, path, name, meant) => {
    expect(ignoredFields(name, method, path)).toEqual([{ name, method, path, meant }]);
  });

  it.each([
    [null, []],
    ['', []],
    ['recrod, colour', ['recrod', 'colour']],
    ['a%2Cb,100%', ['a,b', '100%']],
    ['recrod, colour, ...', ['recrod', 'colour']],
  ])('is read from the header %j', (header, names) =>
    expect(ignoredFields(header, 'POST', '/api/v1/calls').map(({ name }) => name)).toEqual(names),
  );
});

describe('the client of a program with a misspelled field', () => {
  let server: Server;
  let header: string;
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);

  beforeAll(async () => {
    server = createServer((_, response) =>
      response
        .writeHead(201, { 'content-type': 'application/json', 'trunkline-ignored-fields': header })
        .end('{"data":{"call_id":"1"}}'),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  beforeEach(() => {
    warn.mockClear();
    header = 'recrod';
  });

  afterAll(() => {
    warn.mockRestore();
    server.close();
  });

  const clientOf = (options: Partial<TrunklineOptions> = {}) =>
    createTrunkline({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: 'tk_1',
      ...options,
    });

  it('warns once per name', async () => {
    const client = clientOf();
    await placeCall(client, ORDER);
    await placeCall(client, ORDER);
    header = 'recrod,colour';
    await placeCall(client, ORDER);
    expect(warn.mock.calls).toEqual([
      ['Trunkline ignored the unknown field `recrod` of POST /api/v1/calls. Did you mean `record`?'],
      ['Trunkline ignored the unknown field `colour` of POST /api/v1/calls.'],
    ]);
  });

  it('calls the function of the program instead of warning', async () => {
    const fields: IgnoredField[] = [];
    await placeCall(clientOf({ onIgnoredField: (field) => fields.push(field) }), ORDER);
    expect(fields).toEqual([{ name: 'recrod', method: 'POST', path: '/api/v1/calls', meant: 'record' }]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not warn when warnings are disabled', async () => {
    await placeCall(clientOf({ onIgnoredField: false }), ORDER);
    expect(warn).not.toHaveBeenCalled();
  });

  it('reports at most 1,000 names', async () => {
    const fields: IgnoredField[] = [];
    const client = clientOf({ onIgnoredField: (field) => fields.push(field) });
    for (let from = 0; from < 1_200; from += 300) {
      header = Array.from({ length: 300 }, (_, index) => `f${from + index}`).join();
      await placeCall(client, ORDER);
    }
    expect(fields).toHaveLength(1_000);
  });
});
