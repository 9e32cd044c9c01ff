import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { WarningDto } from '../http/responses/warning.dto.js';
import { IsRecordId } from '../http/validation/field-validators.js';
import { EnumFilter, IntegerFromText } from '../http/validation/list-filters.js';

export class DeleteAgentQueryDto {
  @EnumFilter(['true', 'false'], '`true`: 409 if the agent answers phone numbers. Default: `false`.')
  if_unused?: 'true' | 'false';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'ID of the agent that answers the phone numbers of the deleted agent from now on.',
  })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId({ kind: 'agent' })
  reassign_to?: number;
}

export class AgentDeletedDto {
  @ApiProperty({ type: 'string', description: 'Confirmation.', example: 'Agent deleted successfully.' })
  message: string;

  @ApiPropertyOptional({
    type: [WarningDto],
    description: '`number_without_agent`: calls to a phone number that the agent answered are not answered any more.',
  })
  warnings?: WarningDto[];
}
