import { DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS } from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { nullableTime } from '../http/responses/api-time.js';
import { must } from '../http/validation/field-validators.js';

export class RotateSecretDto {
  @ApiPropertyOptional({
    type: 'number',
    minimum: 0,
    maximum: MAX_OVERLAP_HOURS,
    nullable: true,
    default: DEFAULT_OVERLAP_HOURS,
    description: 'Hours during which webhooks carry a second signature with the previous secret.',
    example: DEFAULT_OVERLAP_HOURS,
  })
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_OVERLAP_HOURS) })
  @Max(MAX_OVERLAP_HOURS, { message: must.beBetween(0, MAX_OVERLAP_HOURS) })
  @IsNumber({}, { message: must.beNumber })
  overlap_hours?: number | null;
}

/** A secret that signs webhooks. */
class WebhookSecretDto {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'Last characters of the secret. The secret itself is returned only once.',
    example: 'whsec_…Zk8=',
  })
  hint: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of creation.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;

  @ApiProperty(nullableTime('Expiry of the secret during a rotation. Null for the current secret.', null))
  expires_at: string | null;
}

export class WebhookSecretListDto {
  @ApiProperty({
    type: [WebhookSecretDto],
    description: 'The current secret and, during a rotation, the previous one; newest first.',
  })
  data: WebhookSecretDto[];
}

class NewWebhookSecretDto {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 2 })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'The secret. It is returned only once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  secret: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of creation.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;

  @ApiProperty(
    nullableTime(
      'Time until which webhooks are also signed with the previous secret.',
      '2026-01-03T03:04:05.678+00:00',
    ),
  )
  previous_expires_at: string | null;
}

export class RotatedSecretDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The webhook secret is rotated.' })
  message: string;

  @ApiProperty({ type: NewWebhookSecretDto, description: 'The new secret.' })
  data: NewWebhookSecretDto;
}

export class SecretExpiredDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The webhook secret is expired.' })
  message: string;
}
