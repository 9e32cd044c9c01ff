import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class HealthDto {
  @ApiProperty({ type: 'string', enum: ['ok', 'unavailable'], description: 'Whether all is well.', example: 'ok' })
  status: 'ok' | 'unavailable';

  @ApiPropertyOptional({
    type: [String],
    description: 'Why requests should not be sent here.',
    example: ['the database does not answer'],
  })
  reasons?: string[];
}
