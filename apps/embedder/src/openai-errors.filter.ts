import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { errorBody, InvalidRequest, ModelStopped, QueueFull, REQUEST_LIMITS } from '@app/knowledge/embedding-models';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Response } from 'express';

/** There is no model yet. */
export class ModelNotLoaded extends Error {
  override readonly name = 'ModelNotLoaded';
}

interface Answer {
  status: number;
  body: object;
  retryAfterSeconds?: number;
}

/** Answers errors in OpenAI's shape: `{ error: { message, type, param, code } }`. */
@Catch()
export class OpenAiErrorsFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    // The client has gone.
    if (response.destroyed) return;
    const { status, body, retryAfterSeconds } = this.answerTo(error);
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    response.status(status).json(body);
  }

  private answerTo(error: unknown): Answer {
    if (error instanceof InvalidRequest) {
      const { status, message, cause } = error;
      if (cause !== undefined) this.log.warn({ err: cause }, 'the model rejects a text');
      return { status, body: errorBody(message, 'invalid_request_error', error) };
    }
    if (error instanceof QueueFull) {
      const { message, retryAfterSeconds } = error;
      return { status: 429, body: errorBody(message, 'rate_limit_error', { code: 'queue_full' }), retryAfterSeconds };
    }
    if (error instanceof ModelNotLoaded || error instanceof ModelStopped) {
      const body = errorBody(error.message, 'server_error', { code: 'model_not_loaded' });
      return { status: 503, body, retryAfterSeconds: 1 };
    }
    const status = statusOf(error);
    if (status < 500) return { status, body: errorBody(sentenceOf(status), 'invalid_request_error') };
    this.log.error({ err: error }, 'a request failed');
    return { status: 500, body: errorBody('The request failed.', 'server_error') };
  }
}

/** Of Nest, and of the parser of bodies. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { status } = error as { status?: number };
  return status ?? 500;
}

function sentenceOf(status: number): string {
  if (status === 404) return 'There are only POST /v1/embeddings and GET /v1/models.';
  if (status === 413) return `The body must not be longer than ${REQUEST_LIMITS.bodyBytes} bytes.`;
  return 'The body must be JSON.';
}
