import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import express, { type Request, type Response } from 'express';

const MAX_KB = 256;
/** Texts for knowledge bases: 500,000 characters in any script. */
const MAX_TEXT_KB = 2_048;
const KNOWLEDGE_BASES = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases(?:\/|$)/i;
const KNOWLEDGE_BASE_LIST = /^\/api\/v1\/agents\/[^/]+\/knowledge-bases\/?$/i;
/** Lists and objects inside each other: what walks through a body recurses. */
const MAX_DEPTH = 100;
/** What PostgreSQL cannot store, as JSON.stringify spells it: the null character and half a surrogate pair. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const parserOf = (kb: number) =>
  express.json({
    limit: kb * 1024,
    // What is JSON but no object has a sentence of its own.
    strict: false,
    verify: (request, _response, body) => {
      (request as EscapedRequest).hasEscapes = body.includes('\\u');
    },
  });
const parse = parserOf(MAX_KB);
const parseText = parserOf(MAX_TEXT_KB);

type EscapedRequest = Request & { hasEscapes?: boolean };

/**
 * Reads JSON objects up to 256 KB (2 MB with the text of a knowledge base) into `request.body`; forms are left to UploadInterceptor
 * where files are uploaded. Rejects with an HttpException that says what is wrong with any other body.
 */
export function readJsonBody(request: EscapedRequest, response: Response): Promise<void> {
  const [read, kb] = KNOWLEDGE_BASES.test(request.path) ? [parseText, MAX_TEXT_KB] : [parse, MAX_KB];
  return new Promise((resolve, reject) => {
    if (isUpload(request)) return resolve();
    if (hasBody(request) && !request.is('application/json')) {
      return reject(new UnsupportedMediaTypeException('The request body must be application/json.'));
    }
    read(request, response, (error?: unknown) => {
      const problem = error ? explained(error, request, kb) : bodyProblem(request);
      if (problem) reject(problem);
      else resolve();
    });
  });
}

const isUpload = (request: Request): boolean =>
  request.method === 'POST' && KNOWLEDGE_BASE_LIST.test(request.path) && Boolean(request.is('multipart/form-data'));

export const announcesBody = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function explained(error: unknown, { headers }: Request, kb: number): Error {
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
        // Errors of decompressors have no type, and sentences of zlib.
        type === undefined && headers['content-encoding'] !== undefined
          ? 'The request body is not what its Content-Encoding says.'
          : 'The request body could not be read.',
      );
  }
}

function bodyProblem(request: EscapedRequest): BadRequestException | undefined {
  const body: unknown = request.body;
  // Of no length, and of no type.
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
