import { MAX_VALUE_LENGTH, MAX_VARIABLES } from '@app/agents';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { NOT_BEFORE, TIME_ZONE } from './call-schedule.dto.js';

/** Of `variables` in requests. */
export const VARIABLES = {
  type: 'object' as const,
  additionalProperties: {
    oneOf: [
      { type: 'string' as const, maxLength: MAX_VALUE_LENGTH },
      { type: 'number' as const },
      { type: 'boolean' as const },
    ],
  },
  maxProperties: MAX_VARIABLES,
  nullable: true,
};

/** A destination with values for its call alone. */
export class DestinationDto {
  @ApiProperty({
    type: 'string',
    maxLength: 255,
    description: 'The destination.',
    example: 'sip:answer@127.0.0.1:5070',
  })
  to_number: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Metadata of this call. Its keys replace those of the `metadata` of the request.',
    example: { customer: 'c-4711' },
  })
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    description: 'Variables of this call. They replace those of the `variables` of the request.',
    example: { customer_name: 'Ada' },
  })
  variables?: Record<string, string | number | boolean> | null;

  @ApiPropertyOptional({ ...NOT_BEFORE, description: 'Replaces the `not_before` of the request for this call.' })
  not_before?: string | null;

  @ApiPropertyOptional({ ...TIME_ZONE, description: 'Replaces the `time_zone` of the request for this call.' })
  time_zone?: string | null;
}
