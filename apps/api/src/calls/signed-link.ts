import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';

/** The parameters of a link that LinkSigner made. */
export const SignedLink = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'signature', description: 'Proof that the service made the link.', schema: { type: 'string' } }),
    ApiQuery({ name: 'expires', description: 'When the link dies, in Unix seconds.', schema: { type: 'integer' } }),
    ApiParam({ name: 'callId', description: 'The `call_id` of the call.', schema: { type: 'string', format: 'uuid' } }),
  );
