import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_TIMEOUTS } from './server-limits.js';

/**
 * Express replaces the prototype of every request and response with Object.setPrototypeOf. On Node before 24 that is the largest single
 * cost of a request: it doubles the CPU time of reading one record. Here the server creates them with the prototypes that Express would
 * set, so Express changes nothing.
 */
export class PrototypedExpressAdapter extends ExpressAdapter {
  /** Skips the work of Express's json() and send() that is the same for each of our responses (charset, ETag, 304, settings). */
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
    // Classes: with a plain function as `new.target`, V8 creates a new hidden class for each instance, which costs as much again.
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = chain(ExpressRequest.prototype, express.request);
    express.response = chain(ExpressResponse.prototype, express.response);
    const options = { ...REQUEST_TIMEOUTS, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createServer(options, express);
  }
}

const isPlainObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;

/** Puts Express's prototype behind that of the class. */
const chain = <T extends object>(own: object, expressPrototype: T): T =>
  Object.setPrototypeOf(own, expressPrototype) as T;
