import { ApiHeader } from '@nestjs/swagger';

/** The header that makes the creation of one record repeatable. */
export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes retries safe for 24 hours. A request with the same key and body returns the first response (with `Idempotent-Replayed: true`) and creates nothing. A request with the same key and another body returns 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });
