import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ErrorDto, ValidationErrorDto } from './errors.dto.js';

const ERRORS = {
  400: ['The body is not a JSON object.', 'The request body is not valid JSON.'],
  401: [
    'The token is missing, unknown, expired or revoked.',
    'Unauthenticated. The token is unknown, expired or revoked. Send the header "Authorization: Bearer <token>" with a token of your account.',
  ],
  403: ['The token lacks the scope.', 'The token lacks the scope calls:write.'],
  404: ['The account has no such record, or the id is malformed.', 'Call not found.'],
  409: [
    'The state of the record, or another request with the same Idempotency-Key, forbids it.',
    'This Idempotency-Key was used with another request body.',
  ],
  413: ['The body is larger than this route takes.', 'The request body must not be larger than 256 KB.'],
  415: ['The body is not of a type that this route takes.', 'The request body must be application/json.'],
  429: [
    'Too many requests; `Retry-After` says when to try again.',
    'Too many requests. The Retry-After header says when to go on.',
  ],
} as const;

const RATE_HEADERS = {
  'Retry-After': { description: 'Seconds until the next request may succeed.', schema: { type: 'integer' as const } },
  'X-RateLimit-Limit': { description: 'How many there may be.', schema: { type: 'integer' as const } },
  'X-RateLimit-Remaining': { description: 'How many are left.', schema: { type: 'integer' as const } },
};

type Status = keyof typeof ERRORS;

/** Documents the error responses of a route, each as a status, or as a status with its own message. */
export function ApiErrors(...errors: (Status | 422 | [Status, string])[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...errors.map((one) => {
      const [status, ownMessage] = Array.isArray(one) ? one : [one];
      if (status === 422)
        return ApiResponse({ status, type: ValidationErrorDto, description: 'Some fields are wrong.' });
      const [description, usual] = ERRORS[status];
      const message = ownMessage ?? usual;
      const headers = status === 429 ? RATE_HEADERS : undefined;
      return ApiResponse({ status, type: ErrorDto, description, headers, example: { message } });
    }),
  );
}
