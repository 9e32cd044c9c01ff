import { ACTIONS_PER_TOOL } from '@app/tools';
import { ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { IsObjectList } from '../http/validators.js';
import { CreateToolDto } from './create-tool.dto.js';
import { CreateWebhookActionDto } from './webhook-action.dto.js';

/** Absent and null fields stay unchanged. */
export class UpdateToolDto extends PartialType(OmitType(CreateToolDto, ['webhook_actions'] as const)) {
  @ApiPropertyOptional({
    type: [CreateWebhookActionDto],
    maxItems: ACTIONS_PER_TOOL,
    nullable: true,
    description:
      'All requests that are made from now on: they take the place of those that there were, with new ids. An empty list removes them.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => CreateWebhookActionDto)
  webhook_actions?: CreateWebhookActionDto[] | null;
}
