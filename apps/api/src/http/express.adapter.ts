import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';

/**
 * Express gives every request and response its own prototypes with Object.setPrototypeOf, which on Node before 24 is the
 * largest single cost of a request (twice the CPU on GET one, measured). Here they are born with the very objects that
 * Express would set, so that it finds nothing to change.
 */
export class PrototypedExpressAdapter extends ExpressAdapter {
  override initHttpServer(_options: NestApplicationOptions): void {
    const express = this.getInstance<Express>();
    // Classes: of a plain function as `new.target` V8 makes a new shape for each instance, which costs as much again.
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = adopt(ExpressRequest.prototype, express.request);
    express.response = adopt(ExpressResponse.prototype, express.response);
    const options = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createServer(options, express);
  }
}

/** The prototype of a class, with everything of Express's in its chain. */
const adopt = <T extends object>(own: object, expressPrototype: T): T =>
  Object.setPrototypeOf(own, expressPrototype) as T;
