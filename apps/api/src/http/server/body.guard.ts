import { isUtf8 } from 'node:buffer';
import { inexactNumberPaths, InvalidFields } from '@app/common';
import {
  BadRequestException,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  PayloadTooLargeException,
  SetMetadata,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import express, { type NextFunction, type Request, type Response } from 'express';
import { addIgnoredFields, trackIgnoredFields } from '../validation/ignored-fields.js';

const MAX_KB = 256;
/** Knowledge base texts: 500,000 characters in any script. */
const MAX_TEXT_KB = 2_048;
const KNOWLEDGE_BASES = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases(?:\/|$)/i;
const KNOWLEDGE_BASE_LIST = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases\/?$/i;
/** 10,000 contacts. */
const CAMPAIGN_CONTACTS = /^\/api\/v1\/campaigns\/[^/]+\/contacts\/?$/i;
const CONTACT_IMPORT = /^\/api\/v1\/campaigns\/[^/]+\/contacts\/import\/?$/i;
/** Their handlers read CSV bodies as a stream. */
const TABLE_IMPORT = /^\/api\/v1\/do-not-call\/import\/?$/i;
/** Functions that traverse a body are recursive. */
const MAX_DEPTH = 100;
/** Characters that PostgreSQL cannot store, as JSON.stringify escapes them: the null character and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const jsonParser = (kb: number) =>
  express.json({
    limit: kb * 1024,
    // JSON that is not an object is rejected below with a specific message.
    strict: false,
    verify: (request, _response, body, encoding) => {
      // The decoder would replace other bytes by U+FFFD, which would then be stored.
      if (encoding === 'utf-8' && !isUtf8(body)) throw new Error('The request body is not UTF-8.');
      (request as ReadRequest).hasEscapes = body.includes('\\u');
      (request as ReadRequest).text = body;
    },
  });
const parse = jsonParser(MAX_KB);
const parseText = jsonParser(MAX_TEXT_KB);

/** `text`: the body as it was sent, until it is checked. */
type ReadRequest = Request & { hasEscapes?: boolean; text?: Buffer };

/**
 * Reads a JSON object of at most 256 KB (2 MB for knowledge base texts and contacts) into `request.body`. Skips file uploads and
 * imports, which are read as streams. Rejects with an HttpException for any other body.
 */
function readJsonBody(request: ReadRequest, response: Response): Promise<void> {
  const isLong = KNOWLEDGE_BASES.test(request.path) || CAMPAIGN_CONTACTS.test(request.path);
  const [read, kb] = isLong ? [parseText, MAX_TEXT_KB] : [parse, MAX_KB];
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
  request.method === 'POST' &&
  (((KNOWLEDGE_BASE_LIST.test(request.path) || CONTACT_IMPORT.test(request.path)) &&
    Boolean(request.is('multipart/form-data'))) ||
    (TABLE_IMPORT.test(request.path) && Boolean(request.is('text/csv'))));

const hasBodyHeaders = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const hasContent = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function parserError(error: unknown, { headers }: Request, kb: number): Error {
  const { type } = error as { type?: string };
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLargeException(`The request body must not be larger than ${kb.toLocaleString('en-US')} KB.`);
    case 'entity.verify.failed':
      return new BadRequestException('The request body is not valid UTF-8.');
    case 'entity.parse.failed':
      return new BadRequestException('The request body is not valid JSON.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeException('The request body must be UTF-8 JSON, plain or in gzip.');
    default:
      return new BadRequestException(
        // Decompression errors have no type and carry zlib messages.
        type === undefined && headers['content-encoding'] !== undefined
          ? 'The request body does not match its Content-Encoding.'
          : 'The request body could not be read.',
      );
  }
}

function bodyProblem(request: ReadRequest): Error | undefined {
  const { text } = request;
  request.text = undefined;
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
  const paths = inexactNumberPaths(text?.toString('utf8') ?? '');
  if (paths.length === 0) return undefined;
  return new InvalidFields(Object.fromEntries(paths.map((path) => [path, [INEXACT]])));
}

const INEXACT = 'The number has more digits than a number in JSON keeps. Send it as text.';

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** Time for a client that is still sending to read the response. */
const LINGER_MS = 1_000;

/**
 * Middleware: closes the connection when the response was sent before the request body was complete, instead of reading the rest.
 * It waits before closing: a client that sends into a closed connection loses the unread response.
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

/**
 * Reads the body after authentication, scope check and rate limit: unauthenticated clients cannot fill the memory with bodies, a missing
 * token always returns 401, and unreadable requests count towards the rate limit.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (request.url.includes('?')) this.trackQuery(context, request, response);
    return hasBodyHeaders(request) ? this.readBody(context, request, response) : true;
  }

  private async readBody(context: ExecutionContext, request: Request, response: Response): Promise<true> {
    await readJsonBody(request, response);
    if (routeInputs(context).readsBody) trackIgnoredFields(request.body, response);
    else addIgnoredFields(response, Object.keys((request.body as object | undefined) ?? {}));
    return true;
  }

  /** Express parses the query again at each access; the property keeps one object for the whole request. */
  private trackQuery(context: ExecutionContext, request: Request, response: Response): void {
    const { query } = request;
    Object.defineProperty(request, 'query', { value: query, configurable: true, enumerable: true });
    if (routeInputs(context).readsQuery) trackIgnoredFields(query, response);
    else addIgnoredFields(response, Object.keys(query));
  }
}

interface RouteInputs {
  readsBody: boolean;
  readsQuery: boolean;
}

const WHOLE_BODY = 'whole-body';
/** The handler reads `request.body` itself and rejects unknown fields. */
export const ReadsWholeBody = (): MethodDecorator => SetMetadata(WHOLE_BODY, true);

const inputsByHandler = new WeakMap<object, RouteInputs>();

/** Which parts of a request the handler of a route reads, derived from its `@Body()` and `@Query()`. */
function routeInputs(context: ExecutionContext): RouteInputs {
  const handler = context.getHandler();
  const cached = inputsByHandler.get(handler);
  if (cached) return cached;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
  const takes = (type: RouteParamtypes) => Object.keys(args).some((key) => key.startsWith(`${type}:`));
  const readsWhole = Reflect.getMetadata(WHOLE_BODY, handler) === true;
  const inputs = { readsBody: readsWhole || takes(RouteParamtypes.BODY), readsQuery: takes(RouteParamtypes.QUERY) };
  inputsByHandler.set(handler, inputs);
  return inputs;
}
