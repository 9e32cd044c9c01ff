import { HttpException } from '@nestjs/common';
import type { Response } from 'express';

/** nginx's status for a client that closed the connection. Only the log shows it. */
const CLIENT_CLOSED_REQUEST = 499;

export const clientDisconnected = (): HttpException =>
  new HttpException('The client disconnected.', CLIENT_CLOSED_REQUEST);

/** Aborts when the client closes the connection before the response is complete. */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
