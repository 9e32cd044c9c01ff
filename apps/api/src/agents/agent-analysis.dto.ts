import { type AnalysisSettings, RUBRIC_TYPES, type RubricQuestion } from '@app/agents';
import { REASONING_EFFORTS } from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class RubricQuestionDto implements RubricQuestion {
  @ApiProperty({
    type: 'string',
    pattern: '^[a-z][a-z0-9_]*$',
    maxLength: 64,
    description: 'Name of the answer.',
    example: 'identity_checked',
  })
  name: string;

  @ApiProperty({
    type: 'string',
    maxLength: 500,
    description: 'The question about the call.',
    example: 'Did the agent check who is calling before it named the order?',
  })
  question: string;

  @ApiProperty({
    type: 'string',
    enum: RUBRIC_TYPES,
    description: 'Type of the answer. A score is a whole number from 1 (worst) to 5 (best).',
    example: 'boolean',
  })
  type: RubricQuestion['type'];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: 100 },
    minItems: 2,
    maxItems: 20,
    description: 'The possible answers of the type `enum`.',
    example: ['satisfied', 'neutral', 'annoyed'],
  })
  options?: string[];
}

class AnalysisModelDto {
  @ApiProperty({
    type: 'string',
    enum: ['openai', 'openai-compatible', 'anthropic', 'google'],
    description: 'Vendor of the model, with the key and the address of the installation.',
    example: 'openai',
  })
  provider: NonNullable<AnalysisSettings['model']>['provider'];

  @ApiProperty({ type: 'string', maxLength: 200, description: 'Name of the model.', example: 'gpt-5.1-mini' })
  model: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: REASONING_EFFORTS,
    description: 'How long the model thinks. Absent: the least that it accepts.',
    example: 'low',
  })
  reasoning_effort?: NonNullable<AnalysisSettings['model']>['reasoning_effort'];
}

export class AgentAnalysisDto implements AnalysisSettings {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'JSON Schema of the values, with `type: object`; the limits are those of tool parameters. Each value may end as null: required properties are not enforced.',
    example: {
      type: 'object',
      properties: { order_number: { type: 'string' }, reason: { type: 'string', enum: ['delivery', 'billing'] } },
    },
  })
  extract?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [RubricQuestionDto], maxItems: 20, description: 'Questions about the call.' })
  rubric?: RubricQuestionDto[];

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2_000,
    description: 'How to sum up the call. Absent: no summary.',
    example: 'Two sentences: what the caller wanted, and what was agreed.',
  })
  summary_prompt?: string;

  @ApiPropertyOptional({
    type: AnalysisModelDto,
    description:
      'The text model. Absent: that of the installation (`ANALYSIS_MODEL`). Without a configured model, rules read the call.',
  })
  model?: AnalysisModelDto;
}
