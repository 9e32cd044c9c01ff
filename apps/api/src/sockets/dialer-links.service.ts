import { InternalRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { WebSocket } from 'ws';

const CONNECT_MS = 5_000;
/** Frames and messages of a dialer. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** A dialer refused a connection, or cannot be reached. */
export class DialerRefused extends Error {
  /** `status`: of its answer; 503 as well when there was none. */
  constructor(readonly status: number) {
    super('The dialer refused the connection.');
  }
}

/** Opens connections to the internal servers of dialers. */
@Injectable()
export class DialerLinksService {
  constructor(private readonly requests: InternalRequests) {}

  /**
   * @param address `host:port` of the internal server
   * @param path with its query
   * @returns an open connection, which is paused until its reader listens
   * @throws DialerRefused
   */
  connect(address: string, path: string): Promise<WebSocket> {
    const socket = new WebSocket(`ws://${address}${path}`, {
      headers: this.requests.sign('GET', path),
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.pause();
        resolve(socket);
      });
      socket.once('unexpected-response', (request, response) => {
        request.destroy();
        reject(new DialerRefused(response.statusCode ?? 503));
      });
      socket.on('error', () => reject(new DialerRefused(503)));
    });
  }
}
