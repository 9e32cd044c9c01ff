import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Refusal = [status: string, message: string];

const NOT_HTTP: Refusal = ['400 Bad Request', 'The request is not valid HTTP/1.1.'];

/** What Node refuses before there is a request, by the code of its error. */
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and its headers must not be larger than 16 KB together.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Tells it as every other error is told, with a body of JSON, and closes the connection. */
export function answerRefused(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = REFUSALS[error.code ?? ''] ?? NOT_HTTP;
    const body = JSON.stringify({ message });
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}

/** In the middle of an answer another one would be taken for its continuation. Node keeps the answer at the socket. */
const isAnswering = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;
