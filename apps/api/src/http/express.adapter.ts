import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { LATE_REQUESTS } from './server-limits.js';

/**
 * Express gives every request and response its own prototypes with Object.setPrototypeOf, which on Node before 24 is the
 * largest single cost of a request (twice the CPU on GET one, measured). Here they are born with the very objects that
 * Express would set, so that it finds nothing to change.
 */
export class PrototypedExpressAdapter extends ExpressAdapter {
  /** What Express's json() and send() do besides (charset, ETag, 304, settings) is the same for each of our answers. */
  override reply(response: Response, body: unknown, statusCode?: number): void {
    if (!isPlainObject(body)) return void super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }

  override initHttpServer(_options: NestApplicationOptions): void {
    const express = this.getInstance<Express>();
    // Classes: of a plain function as `new.target` V8 makes a new shape for each instance, which costs as much again.
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = adopt(ExpressRequest.prototype, express.request);
    express.response = adopt(ExpressResponse.prototype, express.response);
    const options = { ...LATE_REQUESTS, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createServer(options, express);
  }
}

const isPlainObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;

/** The prototype of a class, with everything of Express's in its chain. */
const adopt = <T extends object>(own: object, expressPrototype: T): T =>
  Object.setPrototypeOf(own, expressPrototype) as T;
