import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  OmitType,
  PartialType,
} from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { AgentAnsweringMachineDto } from '../../agents/agent-answering-machine.dto.js';
import { AgentTransferInputDto } from '../../agents/agent-transfer.dto.js';
import { AsSent } from '../../http/validation/field-validators.js';

/** Text that follows the instructions of the agent. */
class AppendedInstructionsDto {
  @ApiProperty({
    type: 'string',
    maxLength: 100_000,
    description: 'Text that follows the instructions of the agent.',
    example: 'The customer has asked to be called back about order 4711.',
  })
  append: string;
}

class OverriddenTransferDto extends OmitType(AgentTransferInputDto, [
  'enabled',
  'phone_number',
  'caller_id_number_id',
]) {}

class OverriddenAnsweringMachineDto extends PartialType(AgentAnsweringMachineDto) {}

/** The service checks the fields by the rules of the agent's own fields. */
@ApiExtraModels(AppendedInstructionsDto)
export class AgentOverridesDto {
  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2_000,
    nullable: true,
    description: 'Greeting. May contain placeholders.',
    example: 'Hello {{customer_name | there}}, this is ACME.',
  })
  @AsSent()
  @IsOptional()
  greeting?: string | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string', maxLength: 100_000 }, { $ref: getSchemaPath(AppendedInstructionsDto) }],
    nullable: true,
    description: 'Instructions: a string replaces those of the agent, `{append: "…"}` follows them.',
    example: { append: 'The customer has asked to be called back about order 4711.' },
  })
  @AsSent()
  @IsOptional()
  instructions?: string | AppendedInstructionsDto | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 200,
    nullable: true,
    description: 'Voice of the provider of the agent, or of the synthesizer of its pipeline; fallbacks keep theirs.',
    example: 'marin',
  })
  @AsSent()
  @IsOptional()
  voice?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 35,
    nullable: true,
    description: 'Language as a BCP 47 tag.',
    example: 'en-GB',
  })
  @AsSent()
  @IsOptional()
  language?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 14_400,
    nullable: true,
    description: 'Maximum duration of the call in seconds.',
    example: 300,
  })
  @AsSent()
  @IsOptional()
  max_call_seconds?: number | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    maxItems: 100,
    nullable: true,
    description: 'IDs of the tools of the agent that it may use, each active. Empty: none.',
    example: [],
  })
  @AsSent()
  @IsOptional()
  tool_ids?: number[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    maxItems: 100,
    nullable: true,
    description: 'Same as `knowledge_base_ids` of the request, which must be absent then.',
    example: [],
  })
  @AsSent()
  @IsOptional()
  knowledge_base_ids?: number[] | null;

  @ApiPropertyOptional({
    type: OverriddenAnsweringMachineDto,
    nullable: true,
    description: 'Reaction to answering machines. Replaces the settings of the agent as a whole.',
  })
  @AsSent()
  @IsOptional()
  answering_machine?: OverriddenAnsweringMachineDto | null;

  @ApiPropertyOptional({
    type: OverriddenTransferDto,
    nullable: true,
    description: 'How the calls are transferred, and to which destinations. Absent fields are those of the agent.',
  })
  @AsSent()
  @IsOptional()
  call_transfer?: OverriddenTransferDto | null;
}
