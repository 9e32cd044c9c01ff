import { agentRequest } from '@app/agents';
import { ApiProperty } from '@nestjs/swagger';
import { SchemaDto } from '../http/validation/schema-dto.js';

/** The declaration of a variable. */
export class AgentVariableDto {
  @ApiProperty({
    type: 'string',
    maxLength: 64,
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
    description: 'Name in `{{name}}` and `{{metadata.name}}`.',
    example: 'customer_name',
  })
  name: string;

  @ApiProperty({
    type: 'boolean',
    default: false,
    description: 'Whether calls without a value are refused. Inbound calls are taken with empty text instead.',
    example: false,
  })
  required: boolean;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
    description: 'Value of calls that give none. Null: none.',
    example: 'there',
  })
  default: string | number | boolean | null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 1_000,
    description: 'Maximum length of a value in characters.',
    example: 100,
  })
  max_length: number;

  @ApiProperty({
    type: 'string',
    maxLength: 500,
    nullable: true,
    description: 'Explanation for the people who place calls.',
    example: 'First name of the customer.',
  })
  description: string | null;
}

/** A declaration in a request: only the name is required. */
export class AgentVariableInputDto extends SchemaDto(agentRequest.shape.variables, {
  name: 'customer_name',
  required: false,
  default: 'there',
  max_length: 100,
  description: 'First name of the customer.',
}) {}
