import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { handleClientErrors } from './client-error-handler.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Everything that the server sends until it closes the connection. */
async function responseTo(packets: string[], listener: RequestListener): Promise<string> {
  server = createServer({ headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 }, listener);
  handleClientErrors(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  let got = '';
  client.on('data', (data: Buffer) => {
    got += data.toString();
    client.write(packets.shift() ?? '');
  });
  client.write(packets.shift() ?? '');
  await once(client, 'close');
  return got;
}

describe('HTTP parser errors are returned as JSON', () => {
  it.each([
    [431, `GET / HTTP/1.1\r\nHost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 'larger than 16 KB'],
    [400, 'not http at all\r\n\r\n', 'not valid HTTP/1.1'],
    [400, 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 'not valid HTTP/1.1'],
    [408, 'GET / HTTP/1.1\r\nHost: x\r\nx-a: ', 'did not arrive in time'],
    [408, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf', 'did not arrive in time'],
  ])('with status %i for %j', async (status, request, message) => {
    const got = await responseTo([request], (incoming, response) => void incoming.on('end', () => response.end()));
    const [head, body] = got.split('\r\n\r\n') as [string, string];
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('Content-Type: application/json; charset=utf-8');
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect((JSON.parse(body) as { message: string }).message).toContain(message);
  });
});

it('a parser error does not send a second response into one that has begun', async () => {
  const request = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const got = await responseTo([request, 'no chunk\r\n'], (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('beginning');
  });
  expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*beginning$/);
});
