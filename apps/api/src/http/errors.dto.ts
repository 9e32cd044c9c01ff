import { ApiProperty } from '@nestjs/swagger';

/** The body of every error except 422. */
export class ErrorDto {
  @ApiProperty({ type: 'string', description: 'What went wrong, for people.', example: 'Call not found.' })
  message: string;
}

/** The body of 422: some fields are invalid, and nothing was changed. */
export class ValidationErrorDto {
  @ApiProperty({
    type: 'string',
    description: 'The first error, and how many more there are.',
    example: 'The agent id field is required. (and 1 more error)',
  })
  message: string;

  @ApiProperty({
    type: 'object',
    description: 'Sentences by field; elements of lists carry their index, as in `to_number.0`.',
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
