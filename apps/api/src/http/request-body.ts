import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import express, { type NextFunction, type Request, type Response } from 'express';

const MAX_KB = 256;
/** Texts for knowledge bases: 500,000 characters in any script. */
const MAX_TEXT_KB = 2_048;
const KNOWLEDGE_BASES = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases(?:\/|$)/i;
const KNOWLEDGE_BASE_LIST = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases\/?$/i;
/** Code that walks through a body recurses. */
const MAX_DEPTH = 100;
/** Characters that PostgreSQL cannot store, as JSON.stringify escapes them: the null character and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const jsonParser = (kb: number) =>
  express.json({
    limit: kb * 1024,
    // JSON that is not an object is refused below, with its own message.
    strict: false,
    verify: (request, _response, body) => {
      (request as EscapedRequest).hasEscapes = body.includes('\\u');
    },
  });
const parse = jsonParser(MAX_KB);
const parseText = jsonParser(MAX_TEXT_KB);

type EscapedRequest = Request & { hasEscapes?: boolean };

/**
 * Reads a JSON object of at most 256 KB (2 MB for texts of knowledge bases) into `request.body`. Leaves file uploads to
 * UploadInterceptor. Rejects with an HttpException for any other body.
 */
export function readJsonBody(request: EscapedRequest, response: Response): Promise<void> {
  const [read, kb] = KNOWLEDGE_BASES.test(request.path) ? [parseText, MAX_TEXT_KB] : [parse, MAX_KB];
  return new Promise((resolve, reject) => {
    if (isUpload(request)) return resolve();
    if (hasContent(request) && !request.is('application/json')) {
      return reject(new UnsupportedMediaTypeException('The request body must be application/json.'));
    }
    read(request, response, (error?: unknown) => {
      const problem = error ? parserError(error, request, kb) : bodyProblem(request);
      if (problem) reject(problem);
      else resolve();
    });
  });
}

const isUpload = (request: Request): boolean =>
  request.method === 'POST' && KNOWLEDGE_BASE_LIST.test(request.path) && Boolean(request.is('multipart/form-data'));

export const hasBodyHeaders = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const hasContent = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function parserError(error: unknown, { headers }: Request, kb: number): Error {
  const { type } = error as { type?: string };
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLargeException(`The request body must not be larger than ${kb.toLocaleString('en-US')} KB.`);
    case 'entity.parse.failed':
      return new BadRequestException('The request body is not valid JSON.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeException('The request body must be UTF-8 JSON, plain or in gzip.');
    default:
      return new BadRequestException(
        // Errors of decompressors have no type, and messages of zlib.
        type === undefined && headers['content-encoding'] !== undefined
          ? 'The request body is not what its Content-Encoding says.'
          : 'The request body could not be read.',
      );
  }
}

function bodyProblem(request: EscapedRequest): BadRequestException | undefined {
  const body: unknown = request.body;
  // An empty body without a Content-Type.
  if (body === undefined) return undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return new BadRequestException('The request body must be a JSON object.');
  }
  if (isDeeper(request.body, MAX_DEPTH)) {
    return new BadRequestException(`The request body must not be nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (request.hasEscapes && UNSTORABLE.test(JSON.stringify(request.body))) {
    return new BadRequestException('The request body must not contain null characters or half surrogate pairs.');
  }
  return undefined;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** How long a client that is still sending has to read the response. */
const LINGER_MS = 1_000;

/**
 * Middleware: closes the connection when a response was sent before the request's body was complete, instead of reading the rest. Not
 * at once: a client that sends into a closed connection loses the response that it has not read yet.
 */
export function closeAbandonedBody(request: Request, response: Response, next: NextFunction): void {
  if (hasBodyHeaders(request)) {
    response.once('finish', () => {
      if (request.complete) return;
      const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
      request.once('close', () => clearTimeout(timer));
    });
  }
  next();
}
