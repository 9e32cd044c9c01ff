import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type ErrorResponse = [status: string, message: string];

const NOT_HTTP: ErrorResponse = ['400 Bad Request', 'The request is not valid HTTP/1.1.'];

/** Responses by the code of Node's error. */
const RESPONSES: Record<string, ErrorResponse> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and its headers must not be larger than 16 KB together.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/**
 * Answers requests that Node's HTTP parser refuses, or that do not arrive in time, with the JSON body of all other errors, and closes the
 * connection.
 */
export function handleClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isResponding(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = RESPONSES[error.code ?? ''] ?? NOT_HTTP;
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

/** A second response would be read as part of the first one. Node keeps the current response in this field of the socket. */
const isResponding = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;
