import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';

/** The body of every error except 422. */
class ErrorDto {
  @ApiProperty({ type: 'string', description: 'Human-readable error message.', example: 'Call not found.' })
  message: string;
}

/** The body of 422: some fields are invalid, and nothing was changed. */
class ValidationErrorDto {
  @ApiProperty({
    type: 'string',
    description: 'The first error and the number of further errors.',
    example: 'The agent id field is required. (and 1 more error)',
  })
  message: string;

  @ApiProperty({
    type: 'object',
    description: 'Error messages by field. List elements include their index, such as `to_number.0`.',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: {
      agent_id: ['The agent id field is required.'],
      'to_number.0': [
        'Each phone number must be in E.164 or SIP URI format, such as +15551234567 or sip:user@sip.example.com.',
      ],
    },
  })
  errors: Record<string, string[]>;
}

const ERRORS = {
  400: ['The body is not a JSON object.', 'The request body is not valid JSON.'],
  401: [
    'The token is missing, unknown, expired or revoked.',
    'Unauthenticated. The token is unknown, expired or revoked. Send the header "Authorization: Bearer <token>" with a token of your account.',
  ],
  403: ['The token lacks the scope.', 'The token lacks the scope calls:write.'],
  404: ['The account has no such record, or the ID is malformed.', 'Call not found.'],
  409: [
    'The request conflicts with the state of the record or with another request with the same Idempotency-Key.',
    'This Idempotency-Key was used with another request body.',
  ],
  413: ['The body exceeds the size limit of this route.', 'The request body must not be larger than 256 KB.'],
  415: ['The content type of the body is not supported by this route.', 'The request body must be application/json.'],
  429: [
    'Too many requests. Retry after the time in `Retry-After`.',
    'Too many requests. The Retry-After header says when to go on.',
  ],
  503: [
    'A part of the service does not run or does not answer. Retry after the time in `Retry-After`.',
    'The service cannot answer at the moment. Try again.',
  ],
} as const;

const RATE_HEADERS = {
  'Retry-After': { description: 'Seconds after which to retry.', schema: { type: 'integer' as const } },
  'X-RateLimit-Limit': { description: 'Number of allowed requests.', schema: { type: 'integer' as const } },
  'X-RateLimit-Remaining': { description: 'Number of remaining requests.', schema: { type: 'integer' as const } },
};

type Status = keyof typeof ERRORS;

/** Documents the error responses of a route: statuses, or statuses with a specific message. */
export function ApiErrors(...errors: (Status | 422 | [Status, string])[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...errors.map((one) => {
      const [status, ownMessage] = Array.isArray(one) ? one : [one];
      if (status === 422)
        return ApiResponse({ status, type: ValidationErrorDto, description: 'Some fields are invalid.' });
      const [description, usual] = ERRORS[status];
      const message = ownMessage ?? usual;
      const headers = status === 429 ? RATE_HEADERS : undefined;
      return ApiResponse({ status, type: ErrorDto, description, headers, example: { message } });
    }),
  );
}
