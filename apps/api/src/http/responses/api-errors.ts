import { ERROR_CODES, type ErrorCode } from '@app/common';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { COMPONENT } from './shared-errors.js';

const CODE_LIST = Object.entries(ERROR_CODES)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
  .join('\n');

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

  @ApiProperty({
    type: 'object',
    description: `Codes by field, in the order of the messages:\n\n${CODE_LIST}`,
    additionalProperties: { type: 'array', items: { type: 'string', enum: Object.keys(ERROR_CODES) } },
    example: { agent_id: ['missing'], 'to_number.0': ['invalid_format'] },
  })
  codes: Record<string, ErrorCode[]>;

  @ApiProperty({
    type: 'string',
    description: 'The `X-Request-Id` of the response, which identifies the request in the logs.',
    example: '4f0cf1d5-3f4a-4f4e-9a49-0f6a7b3c2d1e',
  })
  request_id: string;
}

const ERRORS = {
  400: {
    component: 'BadRequest',
    description: 'The body is not a JSON object.',
    message: 'The request body is not valid JSON. Line 3, column 5: expected a comma or a closing bracket.',
  },
  401: {
    component: 'Unauthorized',
    description: 'The token is missing, unknown, expired or revoked.',
    message:
      'Unauthenticated. The token is unknown, expired or revoked. Send the header "Authorization: Bearer <token>" with a token of your account.',
  },
  403: {
    component: 'Forbidden',
    description: 'The token lacks the scope.',
    message: 'The token lacks the scope calls:write.',
  },
  404: {
    component: 'NotFound',
    description: 'The account has no such record, or the ID is malformed.',
    message: 'Call not found.',
  },
  409: {
    component: 'Conflict',
    description:
      'The request conflicts with the state of the record or with another request with the same Idempotency-Key.',
    message: 'This Idempotency-Key was used with another request body.',
  },
  410: {
    component: 'Gone',
    description: 'The time in which the address could be used is over.',
    message: 'The 15 minutes for the result of the tool call are over.',
  },
  413: {
    component: 'ContentTooLarge',
    description: 'The body exceeds the size limit of this route.',
    message: 'The request body must not be larger than 256 KB.',
  },
  415: {
    component: 'UnsupportedMediaType',
    description: 'The content type of the body is not supported by this route.',
    message: 'The request body must be application/json.',
  },
  426: {
    component: 'UpgradeRequired',
    description: 'The route is a WebSocket.',
    message: 'This route is a WebSocket: connect with the subprotocol trunkline.v1.',
  },
  429: {
    component: 'TooManyRequests',
    description: 'Too many requests. Retry after the time in `Retry-After`.',
    message: 'Too many requests. The Retry-After header says when to go on.',
  },
  503: {
    component: 'ServiceUnavailable',
    description: 'A part of the service does not run or does not answer. Retry after the time in `Retry-After`.',
    message: 'The service cannot answer at the moment. Try again.',
  },
} as const;

const RATE_HEADERS = {
  'Retry-After': { description: 'Seconds after which to retry.', schema: { type: 'integer' as const } },
  'X-RateLimit-Limit': { description: 'Number of allowed requests.', schema: { type: 'integer' as const } },
  'X-RateLimit-Remaining': { description: 'Number of remaining requests.', schema: { type: 'integer' as const } },
};

type Status = keyof typeof ERRORS;

/**
 * Documents the error responses of a route: statuses, or statuses with a message of their own and the name of the component that
 * holds it. `withSharedErrors` moves the responses into the components of the document.
 */
export function ApiErrors(
  ...errors: (Status | 422 | [status: Status, component: string, message: string])[]
): MethodDecorator & ClassDecorator {
  return applyDecorators(...errors.map((error) => ApiResponse(responseOf(error))));
}

function responseOf(error: Status | 422 | [Status, string, string]): ApiResponseOptions & { [COMPONENT]: string } {
  if (error === 422)
    return {
      status: 422,
      type: ValidationErrorDto,
      description: 'Some fields are invalid.',
      [COMPONENT]: 'UnprocessableContent',
    };
  const [status, ownComponent, ownMessage] = Array.isArray(error) ? error : [error];
  const { component, description, message } = ERRORS[status];
  return {
    status,
    type: ErrorDto,
    description,
    headers: status === 429 ? RATE_HEADERS : undefined,
    example: { message: ownMessage ?? message },
    [COMPONENT]: ownComponent ?? component,
  };
}
