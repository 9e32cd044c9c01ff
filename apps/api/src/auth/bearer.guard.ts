import type { Principal } from '@app/accounts';
import { Injectable, UnauthorizedException } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';

/** One answer for every way a token can be wrong. A failing database is no wrong token: it is thrown on. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  override handleRequest<T = Principal>(error: unknown, user: T | false | null): T {
    if (error) throw error;
    if (!user) throw new UnauthorizedException('Unauthenticated.');
    return user;
  }
}
