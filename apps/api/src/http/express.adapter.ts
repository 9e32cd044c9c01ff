import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';

/**
 * Express gives every request and response its own prototypes with Object.setPrototypeOf, which on Node before 24 is the
 * largest single cost of a request (1.8x on GET one, measured). Here they are born with them, so that the call finds nothing
 * to change.
 */
export class PrototypedExpressAdapter extends ExpressAdapter {
  override initHttpServer(_options: NestApplicationOptions): void {
    const express = this.getInstance<Express>();
    const options = {
      IncomingMessage: withPrototype(IncomingMessage, express.request),
      ServerResponse: withPrototype(ServerResponse, express.response),
    };
    this.httpServer = createServer(options, express);
  }
}

/** The same constructor, whose instances have `prototype`, which must itself inherit from the constructor's. */
function withPrototype<T extends new (...values: never[]) => object>(base: T, prototype: object): T {
  function Prototyped(...values: never[]): object {
    return Reflect.construct(base, values, Prototyped) as object;
  }
  Prototyped.prototype = prototype;
  return Prototyped as unknown as T;
}
