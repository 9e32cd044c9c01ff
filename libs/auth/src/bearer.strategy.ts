import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { type Principal, TokenLookup } from './token-lookup.service.js';

/** Resolves `Authorization: Bearer …` to the principal of the token. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly tokens: TokenLookup) {
    super();
  }

  /** Passport would also accept tokens in the query and the body; URLs end up in logs, so only the header counts. */
  override authenticate(request: Request): void {
    super.authenticate({ headers: request.headers } as Request);
  }

  async validate(token: string): Promise<Principal | false> {
    return (await this.tokens.find(token)) ?? false;
  }
}
