import { BearerGuard, type Scope, SCOPE, ScopesGuard } from '@app/auth';
import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.js';
import { BodyGuard } from '../http/body.guard.js';

/** The route takes a bearer token with this scope. */
export const Scopes = (scope: Scope): MethodDecorator =>
  applyDecorators(
    SetMetadata(SCOPE, scope),
    UseGuards(BearerGuard, ScopesGuard, BodyGuard),
    ApiBearerAuth(),
    ApiExtension('x-scope', scope),
    ApiErrors(401, [403, `The token lacks the scope ${scope}.`], 429),
  );
