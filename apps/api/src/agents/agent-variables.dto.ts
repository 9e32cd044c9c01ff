import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { AgentPreCallWebhookDto } from './agent-webhooks.dto.js';

/** The declaration of a variable. */
class AgentVariableDto {
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
export class AgentVariableInputDto extends PartialType(OmitType(AgentVariableDto, ['name'] as const)) {
  @ApiProperty({
    type: 'string',
    maxLength: 64,
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
    description: 'Name in `{{name}}` and `{{metadata.name}}`.',
    example: 'customer_name',
  })
  name: string;
}

/** What an agent takes from each call, and asks before it. */
export class AgentCallInputsDto {
  @ApiProperty({
    type: AgentPreCallWebhookDto,
    nullable: true,
    description:
      'Webhook that is asked before each call is dialled or answered. Its answer may give variables and overrides, or skip the call. Null: none.',
  })
  pre_call_webhook: AgentPreCallWebhookDto | null;

  @ApiProperty({
    type: [AgentVariableDto],
    maxItems: 50,
    description: 'Declared variables, which texts use as `{{name}}`. The list replaces the stored one.',
  })
  variables: AgentVariableDto[];

  @ApiProperty({
    type: 'string',
    maxLength: 64,
    nullable: true,
    description: 'IANA time zone of `{{now}}`. Null: UTC.',
    example: 'Europe/Berlin',
  })
  timezone: string | null;
}
