import { Egress } from './egress.js';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connectionProblem } from './connection-problem.js';

const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));
afterAll(() => egress.close());

/** A server that does so with each connection, once it was sent something. */
async function serverThat(does: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => does(socket));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const says = (text: string) => (socket: Socket) => void socket.end(text);

function endless(socket: Socket): void {
  socket.write(OK);
  const more = (): void => {
    while (!socket.destroyed && socket.write('x-a: b\r\n'.repeat(1_000)));
  };
  socket.on('drain', more);
  more();
}

const CLOSED = /^The endpoint closed the connection before its answer was complete \(\w+\)\.$/;
const NOT_HTTP = /^The answer is not valid HTTP( \(\w+\))?\.$/;

it.each<[string, (socket: Socket) => void, RegExp]>([
  ['closes', (socket) => socket.end(), CLOSED],
  ['resets', (socket) => socket.resetAndDestroy(), CLOSED],
  ['closes in the middle', says(`${OK}content-length: 9\r\n\r\nabc`), CLOSED],
  ['is not a web server', says('SSH-2.0-OpenSSH_9.2\r\n'), NOT_HTTP],
  ['sends an invalid length', says(`${OK}content-length: -5\r\n\r\nabc`), NOT_HTTP],
  ['answers 099', says('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'), NOT_HTTP],
  ['never ends its headers', endless, NOT_HTTP],
  ['closes after 100 Continue', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), CLOSED],
  [
    'answers 101',
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /^The endpoint wanted to change the protocol instead of answering\.$/,
  ],
])('the log names the error of an endpoint that %s', async (_what, does, sentence) => {
  const host = await serverThat(does);
  const options = { method: 'POST', headers: {}, body: '{}', totalTimeoutMs: 5_000, maxBodyBytes: 1_000 };
  const error: unknown = await egress.request(`http://${host}/`, options).catch((reason: unknown) => reason);
  expect(connectionProblem(error)).toMatch(sentence);
});

it('the log says that the TLS connection failed when an https endpoint speaks http', async () => {
  const host = await serverThat(says('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const options = { method: 'GET', headers: {}, totalTimeoutMs: 5_000, maxBodyBytes: 1_000 };
  const error: unknown = await egress.request(`https://${host}/`, options).catch((reason: unknown) => reason);
  expect(connectionProblem(error)).toMatch(/^The TLS connection could not be made \(ERR_SSL_WRONG_VERSION_NUMBER\)\.$/);
});
