import { HttpException } from '@nestjs/common';
import type { Response } from 'express';

/** nginx's number for it; nobody reads it but the log. */
const CLIENT_LEFT = 499;

/** What a request ends with whose client is gone. */
export const clientLeft = (): HttpException => new HttpException('The client left.', CLIENT_LEFT);

/** Aborts when the connection is gone before it was answered. */
export function whenLeft(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
