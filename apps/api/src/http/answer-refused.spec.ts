import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { answerRefused } from './answer-refused.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** All that comes back until the server closes the connection. */
async function answerTo(packets: string[], listener: RequestListener): Promise<string> {
  server = createServer({ headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 }, listener);
  answerRefused(server);
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

describe('what Node refuses is told as JSON', () => {
  it.each([
    [431, `GET / HTTP/1.1\r\nHost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 'larger than 16 KB'],
    [400, 'not http at all\r\n\r\n', 'not valid HTTP/1.1'],
    [400, 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 'not valid HTTP/1.1'],
    [408, 'GET / HTTP/1.1\r\nHost: x\r\nx-a: ', 'did not arrive in time'],
    [408, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf', 'did not arrive in time'],
  ])('%i', async (status, request, message) => {
    const got = await answerTo([request], (incoming, response) => void incoming.on('end', () => response.end()));
    const [head, body] = got.split('\r\n\r\n') as [string, string];
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('Content-Type: application/json; charset=utf-8');
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect((JSON.parse(body) as { message: string }).message).toContain(message);
  });
});

it('an answer that has begun is not followed by another one', async () => {
  const request = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const got = await answerTo([request, 'no chunk\r\n'], (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('beginning');
  });
  expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*beginning$/);
});
