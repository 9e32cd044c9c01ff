import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnalysisResultDto } from '../analyses/analyses.dto.js';
import { EventDto } from './webhook-events.dto.js';

class CallAnalysisEventDataDto extends AnalysisResultDto {
  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the agent.', example: 'Receptionist' })
  agent: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` of the call.',
    example: { customer_id: 42 },
  })
  metadata: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'True: the body would be larger than 256 KB, so `evidence` and metadata are left out.',
    example: true,
  })
  evidence_omitted?: boolean;
}

/** Body of the webhook of an analysis. */
export class CallAnalysisEventDto extends EventDto {
  @ApiProperty({
    type: 'string',
    enum: ['call-analysis'],
    description: 'Type of the webhook.',
    example: 'call-analysis',
  })
  type: 'call-analysis';

  @ApiProperty({
    type: 'string',
    enum: ['analysed', 'analysis-failed'],
    description: 'Event. `analysis-failed` has an `error` and no values.',
    example: 'analysed',
  })
  event: 'analysed' | 'analysis-failed';

  @ApiProperty({
    type: CallAnalysisEventDataDto,
    description: 'The analysis, as `GET /calls/{callId}/analysis` returns it.',
  })
  data: CallAnalysisEventDataDto;
}
