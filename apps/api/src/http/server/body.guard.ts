import { isUtf8 } from 'node:buffer';
import { inexactNumberPaths, InvalidFields, withCode } from '@app/common';
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
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { addIgnoredFields, isStrict, trackIgnoredFields } from '../validation/ignored-fields.js';
import { type Dto, unknownFields } from '../validation/known-fields.js';
import { jsonSyntaxProblem } from './json-syntax.js';

declare global {
  namespace Express {
    interface Request {
      /** The method of the controller that handles the request; absent before BodyGuard. */
      handler?: object;
      /** The DTO class of the body that the handler takes; absent before BodyGuard. */
      bodyDto?: Dto;
    }
  }
}

/** The largest body of a request whose handler says nothing else. */
const MAX_KB = 256;
/** Texts of 500,000 characters in any script, lists of 10,000 elements. */
export const LARGE_BODY_KB = 2_048;
/** Functions that traverse a body are recursive. */
const MAX_DEPTH = 100;
/** Characters that PostgreSQL cannot store, as JSON.stringify escapes them: the null character and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const BODY_LIMIT = 'body-limit';
/** The largest JSON body of a handler, or of the handlers of a controller, in KB; 256 without it. */
export const BodyLimit = (kb: number): ClassDecorator & MethodDecorator => SetMetadata(BODY_LIMIT, kb);

const STREAMED = 'streamed-body';
/** The handler reads bodies of this media type from the request, as a stream. */
export const ReadsStream = (mediaType: string): MethodDecorator => SetMetadata(STREAMED, mediaType);

const WHOLE_BODY = 'whole-body';
/** The handler reads `request.body` itself and rejects unknown fields. */
export const ReadsWholeBody = (): MethodDecorator => SetMetadata(WHOLE_BODY, true);

/** What a handler reads of a request. */
interface RouteInputs {
  readsBody: boolean;
  /** Undefined: the handler takes no body, or one without a DTO class. */
  bodyDto: Dto | undefined;
  readsQuery: boolean;
  maxKb: number;
  streamed: string | undefined;
}

const inputsByHandler = new WeakMap<object, RouteInputs>();

/** By the decorators of the handler and of its controller, `@Body()` and `@Query()` included. */
function routeInputs(context: ExecutionContext): RouteInputs {
  const handler = context.getHandler();
  const cached = inputsByHandler.get(handler);
  if (cached) return cached;
  const controller = context.getClass();
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  const takes = (type: RouteParamtypes) => Object.keys(args).some((key) => key.startsWith(`${type}:`));
  const setting = (name: string): unknown =>
    Reflect.getMetadata(name, handler) ?? Reflect.getMetadata(name, controller);
  const inputs = {
    readsBody: setting(WHOLE_BODY) === true || takes(RouteParamtypes.BODY),
    bodyDto: bodyDtoOf(controller, handler, args),
    readsQuery: takes(RouteParamtypes.QUERY),
    maxKb: (setting(BODY_LIMIT) as number | undefined) ?? MAX_KB,
    streamed: setting(STREAMED) as string | undefined,
  };
  inputsByHandler.set(handler, inputs);
  return inputs;
}

/** The class of the parameter with `@Body()`; of a handler that reads the whole body, the documented one. */
function bodyDtoOf({ prototype }: { prototype: unknown }, handler: object & { name: string }, args: object) {
  const [body] = Object.entries(args).filter(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`));
  const types = Reflect.getMetadata('design:paramtypes', prototype as object, handler.name) as Dto[] | undefined;
  if (body) return types?.[(body[1] as { index: number }).index];
  const documented = (Reflect.getMetadata('swagger/apiParameters', handler) ?? []) as { in: string; type?: unknown }[];
  const type = documented.find((one) => one.in === 'body')?.type;
  return typeof type === 'function' ? (type as Dto) : undefined;
}

/** Reads a body of any media type as bytes, decompressed; one reader per limit. */
const readers = new Map<number, RequestHandler>();

function readerOf(kb: number): RequestHandler {
  const known = readers.get(kb);
  if (known) return known;
  const reader = express.raw({ limit: kb * 1024, type: () => true });
  readers.set(kb, reader);
  return reader;
}

/** Reads a JSON object into `request.body`. Rejects with an HttpException, or InvalidFields, for any other body. */
async function readJsonBody(request: Request, response: Response, maxKb: number): Promise<void> {
  if (!hasContent(request)) return;
  if (!request.is('application/json'))
    throw new UnsupportedMediaTypeException('The request body must be application/json.');
  if (!isUtf8Charset(request.headers['content-type'] ?? '')) throw new UnsupportedMediaTypeException(NOT_UTF8_JSON);
  await new Promise<void>((resolve, reject) => {
    readerOf(maxKb)(request, response, (error?: unknown) => {
      if (error) reject(readError(error, request, maxKb));
      else resolve();
    });
  });
  request.body = parseBody(request.body as Buffer);
}

const NOT_UTF8_JSON = 'The request body must be UTF-8 JSON, plain or in gzip.';

/** RFC 8259 §8.1: JSON is UTF-8. A media type without a charset means the same. */
const isUtf8Charset = (contentType: string): boolean =>
  !contentType.includes(';') || !/;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(contentType);

const hasBodyHeaders = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const hasContent = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function readError(error: unknown, { headers }: Request, kb: number): Error {
  const { type } = error as { type?: string };
  if (type === 'entity.too.large')
    return new PayloadTooLargeException(`The request body must not be larger than ${kb.toLocaleString('en-US')} KB.`);
  if (type === 'encoding.unsupported') return new UnsupportedMediaTypeException(NOT_UTF8_JSON);
  // Decompression errors have no type and carry zlib messages.
  const isCompressed = type === undefined && headers['content-encoding'] !== undefined;
  return new BadRequestException(
    isCompressed ? 'The request body does not match its Content-Encoding.' : 'The request body could not be read.',
  );
}

/** Throws an HttpException, or InvalidFields, for bytes that are not a storable JSON object. */
function parseBody(bytes: Buffer): object {
  // The decoder would replace other bytes by U+FFFD, which would then be stored.
  if (!isUtf8(bytes)) throw new BadRequestException('The request body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new BadRequestException('The request body must be a JSON object.');
  if (isDeeper(body, MAX_DEPTH))
    throw new BadRequestException(`The request body must not be nested deeper than ${MAX_DEPTH} levels.`);
  if (text.includes('\\u') && UNSTORABLE.test(JSON.stringify(body)))
    throw new BadRequestException('The request body must not contain null characters or half surrogate pairs.');
  const paths = inexactNumberPaths(text);
  if (paths.length > 0) throw new InvalidFields(Object.fromEntries(paths.map((path) => [path, [INEXACT]])));
  return body;
}

/** Without the byte order mark that some clients send (RFC 8259 §8.1). */
function parseJson(text: string): unknown {
  // Transfer-Encoding without a chunk.
  if (text === '') return {};
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch {
    const problem = jsonSyntaxProblem(json);
    throw new BadRequestException(`The request body is not valid JSON.${problem ? ` ${problem}` : ''}`);
  }
}

const BYTE_ORDER_MARK = '\ufeff';
const INEXACT = withCode('inexact_number', 'The number has more digits than a number in JSON keeps. Send it as text.');

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

function refuse(refusal: InvalidFields | undefined): void {
  if (refusal) throw refusal;
}

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
    request.handler = context.getHandler();
    if (request.headers.prefer !== undefined && isStrict(request))
      response.setHeader('Preference-Applied', 'handling=strict');
    if (request.url.includes('?')) this.trackQuery(context, request, response);
    return hasBodyHeaders(request) ? this.readBody(context, request, response) : true;
  }

  private async readBody(context: ExecutionContext, request: Request, response: Response): Promise<true> {
    const { readsBody, bodyDto, maxKb, streamed } = routeInputs(context);
    request.bodyDto = bodyDto;
    if (streamed !== undefined && request.is(streamed)) return true;
    await readJsonBody(request, response, maxKb);
    if (!readsBody) refuse(addIgnoredFields(response, Object.keys((request.body as object | undefined) ?? {})));
    // Services ignore unknown fields of their schemas after they have checked the others.
    else if (isStrict(request)) refuse(addIgnoredFields(response, unknownFields(bodyDto, request.body)));
    if (readsBody) trackIgnoredFields(request.body, response);
    return true;
  }

  /** Express parses the query again at each access; the property keeps one object for the whole request. */
  private trackQuery(context: ExecutionContext, request: Request, response: Response): void {
    const { query } = request;
    Object.defineProperty(request, 'query', { value: query, configurable: true, enumerable: true });
    if (routeInputs(context).readsQuery) trackIgnoredFields(query, response);
    else refuse(addIgnoredFields(response, Object.keys(query)));
  }
}
