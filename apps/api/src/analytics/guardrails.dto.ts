import type { GuardrailQuery, GuardrailsView } from '@app/analytics';
import { GUARDRAIL_ACTIONS, GUARDRAIL_SIDES } from '@app/calls';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { AnalyticsFiltersDto, AnalyticsRangeDto, AnalyticsShapeDto, edgeOf } from './analytics.dto.js';

export class GuardrailQueryDto extends IntersectionType(
  PickType(AnalyticsShapeDto, ['time_zone', 'date_from', 'date_to']),
  PickType(AnalyticsFiltersDto, ['agent_id']),
) {}

/** @throws InvalidFields */
export const toGuardrailQuery = (dto: GuardrailQueryDto): GuardrailQuery => ({
  timeZone: dto.time_zone ?? 'UTC',
  from: edgeOf(dto.date_from),
  to: edgeOf(dto.date_to),
  agentId: dto.agent_id,
});

type Row = GuardrailsView['data'][number];

class GuardrailCountDto implements Row {
  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the agent. Null: it was deleted.', example: 7 })
  agent_id: number | null;

  @ApiProperty({ type: 'string', description: 'Name of the agent on these calls.', example: 'Support' })
  agent_name: string;

  @ApiProperty({ type: 'string', description: 'Name of the rule.', example: 'no_guarantees' })
  name: string;

  @ApiProperty({ type: 'string', enum: GUARDRAIL_SIDES, description: 'Whose words were judged.', example: 'agent' })
  on: Row['on'];

  @ApiProperty({ type: 'string', enum: GUARDRAIL_ACTIONS, description: 'What the rule does.', example: 'replace' })
  action: Row['action'];

  @ApiProperty({ type: 'integer', description: 'How often the rule applied.', example: 12 })
  hits: number;

  @ApiProperty({ type: 'integer', description: 'Calls on which it applied.', example: 9 })
  calls: number;
}

class GuardrailRangeDto extends PickType(AnalyticsRangeDto, ['date_from', 'date_to', 'time_zone']) {}

export class GuardrailAnalyticsDto implements GuardrailsView {
  @ApiProperty({ type: [GuardrailCountDto], description: 'The rules that applied, the most frequent one first.' })
  data: GuardrailCountDto[];

  @ApiProperty({ type: GuardrailRangeDto, description: 'The query as it was answered.' })
  meta: GuardrailRangeDto;
}
