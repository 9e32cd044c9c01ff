import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { limitConnections, type ConnectionLimit } from './connection-limit.js';

let server: Server;
let clients: Socket[] = [];
afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  server.closeAllConnections();
  server.close();
});

async function listening(limit: ConnectionLimit): Promise<void> {
  server = createServer((_request, response) => response.end('done'));
  limitConnections(server, limit);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Sends a request over a new connection from an address; resolves when the server answers or closes it. */
async function request(localAddress: string): Promise<{ client: Socket; outcome: 'answered' | 'closed' }> {
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  client.on('error', () => undefined);
  clients.push(client);
  const outcome = new Promise<'answered' | 'closed'>((resolve) => {
    client.once('data', () => resolve('answered'));
    client.once('close', () => resolve('closed'));
  });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { client, outcome: await outcome };
}

const outcomes = async (addresses: string[]): Promise<string[]> => {
  const found: string[] = [];
  for (const address of addresses) found.push((await request(address)).outcome);
  return found;
};

it('connections are limited per client address, and further ones are closed', async () => {
  await listening({ maxPerAddress: 2, isTrusted: () => false });
  expect(await outcomes(['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2'])).toEqual([
    'answered',
    'answered',
    'closed',
    'answered',
  ]);
});

it('a closed connection makes room for the next one of its address', async () => {
  await listening({ maxPerAddress: 1, isTrusted: () => false });
  const { client } = await request('127.0.0.1');
  expect(await outcomes(['127.0.0.1'])).toEqual(['closed']);
  client.destroy();
  await new Promise<void>((resolve) => {
    const look = (): void =>
      void server.getConnections((_error, count) => (count === 0 ? resolve() : setImmediate(look)));
    look();
  });
  expect(await outcomes(['127.0.0.1'])).toEqual(['answered']);
});

it('connections of a trusted proxy are not limited', async () => {
  await listening({ maxPerAddress: 1, isTrusted: (address) => address.endsWith('127.0.0.1') });
  expect(await outcomes(['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2'])).toEqual([
    'answered',
    'answered',
    'answered',
    'closed',
  ]);
});
