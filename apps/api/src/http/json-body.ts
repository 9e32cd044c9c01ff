import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import express, { type NextFunction, type Request, type Response } from 'express';

const MAX_KB = 256;
/** What PostgreSQL cannot store, as JSON.stringify spells it: the null character and half a surrogate pair. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const parse = express.json({
  limit: MAX_KB * 1024,
  verify: (request, _response, body) => {
    (request as EscapedRequest).hasEscapes = body.includes('\\u');
  },
});

type EscapedRequest = Request & { hasEscapes?: boolean };

/** Reads JSON objects up to 256 KB into `request.body`; every other body is an error that says what is wrong. */
export function jsonBody(request: EscapedRequest, response: Response, next: NextFunction): void {
  if (!announcesBody(request)) return next();
  if (hasBody(request) && !request.is('application/json')) {
    return next(new UnsupportedMediaTypeException('The request body must be application/json.'));
  }
  parse(request, response, (error?: unknown) => next(error ? explained(error) : bodyProblem(request)));
}

const announcesBody = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function explained(error: unknown): unknown {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return new PayloadTooLargeException(`The request body must not be larger than ${MAX_KB} KB.`);
    case 'entity.parse.failed':
      return new BadRequestException('The request body is not valid JSON.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeException('The request body must be UTF-8 JSON, plain or in gzip.');
    default:
      return error;
  }
}

function bodyProblem(request: EscapedRequest): BadRequestException | undefined {
  if (Array.isArray(request.body)) return new BadRequestException('The request body must be a JSON object.');
  if (request.hasEscapes && UNSTORABLE.test(JSON.stringify(request.body))) {
    return new BadRequestException('The request body must not contain null characters or half surrogate pairs.');
  }
  return undefined;
}
