import { agentRequest, type AgentSettingsView, TRANSFER_BRIEFINGS, TRANSFER_MODES } from '@app/agents';
import { ApiProperty } from '@nestjs/swagger';
import { SchemaDto } from '../http/validation/schema-dto.js';

type StoredTransfer = AgentSettingsView['call_transfer'];
type StoredDestination = StoredTransfer['destinations'][number];

class AgentTransferDestinationDto implements StoredDestination {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description: 'Name by which the model selects the destination.',
    example: 'support',
  })
  name: string;

  @ApiProperty({
    type: 'string',
    maxLength: 255,
    description: 'E.164 number, or SIP URI that the trunk of the call accepts.',
    example: '+15550002222',
  })
  to_number: string;

  @ApiProperty({
    type: 'string',
    maxLength: 500,
    nullable: true,
    description: 'When the model selects the destination.',
    example: 'Technical questions',
  })
  description: string | null;

  @ApiProperty({
    type: 'string',
    maxLength: 64,
    pattern: '^[0-9*#A-Da-d,]+$',
    nullable: true,
    description: 'Keys that are sent after the answer. A comma is a pause of one second.',
    example: ',,204#',
  })
  extension: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Headers of the INVITE: `X-…`, `User-to-User`, `Subject` or `Organization`, each with the metadata key of the call that provides its value.',
    example: { 'X-Customer-Id': 'customer_id' },
  })
  headers: Record<string, string>;

  @ApiProperty({
    type: 'string',
    maxLength: 128,
    nullable: true,
    description: 'Metadata key of the call whose value is sent as `User-to-User` in hexadecimal (RFC 7433).',
    example: 'ticket',
  })
  uui: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 60,
    nullable: true,
    description: 'Maximum ringing time in seconds. Null: that of the agent.',
    example: 20,
  })
  ring_timeout_seconds: number | null;
}

export class AgentTransferDto implements StoredTransfer {
  @ApiProperty({ type: 'boolean', description: 'Whether the agent can transfer calls.', example: false })
  enabled: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Destination of transfers in E.164 format, unless `destinations` has any.',
    example: '+15550002222',
  })
  phone_number: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'ID of the phone number shown to the destination. Null: the number of the call.',
    example: 1,
  })
  caller_id_number_id: number | null;

  @ApiProperty({
    type: 'string',
    enum: TRANSFER_MODES,
    default: 'cold',
    description:
      '`cold`: the caller is connected with the phone that answers. `warm`: the agent briefs the person in private, who accepts or declines. `conference`: the same, and the agent stays.',
    example: 'cold',
  })
  mode: StoredTransfer['mode'];

  @ApiProperty({
    type: 'string',
    enum: TRANSFER_BRIEFINGS,
    default: 'summary',
    description: '`summary`: a summary is spoken word by word. `own_words`: the model speaks freely about it.',
    example: 'summary',
  })
  briefing: StoredTransfer['briefing'];

  @ApiProperty({
    type: 'string',
    maxLength: 500,
    nullable: true,
    description:
      'Question after the briefing. Null: that of the language, such as "Press 1 or say yes to take the call."',
    example: null,
  })
  accept_prompt: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 5,
    maximum: 120,
    default: 30,
    description: 'Time for the answer of the person after the briefing, in seconds.',
    example: 30,
  })
  accept_timeout_seconds: number;

  @ApiProperty({
    type: [AgentTransferDestinationDto],
    maxItems: 10,
    description: 'Destinations in the order in which they are tried. Empty: only `phone_number`.',
  })
  destinations: AgentTransferDestinationDto[];
}

const { call_transfer: transfer } = agentRequest.shape;

const DESTINATION = {
  name: 'support',
  to_number: '+15550002222',
  description: 'Technical questions',
  extension: ',,204#',
  headers: { 'X-Customer-Id': 'customer_id' },
  uui: 'ticket',
  ring_timeout_seconds: 20,
};

class AgentTransferDestinationInputDto extends SchemaDto(transfer.unwrap().shape.destinations, DESTINATION) {}

/** The settings of a transfer that a call may replace. */
export const TRANSFER_OPTIONS = {
  mode: 'cold',
  briefing: 'summary',
  accept_prompt: null,
  accept_timeout_seconds: 30,
  destinations: AgentTransferDestinationInputDto,
};

export class AgentTransferInputDto extends SchemaDto(transfer, {
  enabled: false,
  phone_number: '+15550002222',
  caller_id_number_id: 1,
  ...TRANSFER_OPTIONS,
}) {}
