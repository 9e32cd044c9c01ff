import { CALL_CHANNELS } from '@app/calls';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { AgentOverridesDto } from '../calls/requests/agent-overrides.dto.js';
import { ReducedCallDto } from '../calls/call.dto.js';
import { VARIABLES } from '../calls/requests/call-values.dto.js';
import { EventDto } from './webhook-events.dto.js';

class PreCallDataDto extends ReducedCallDto {
  @ApiProperty({
    type: 'string',
    description: 'Direction of the call.',
    enum: ['inbound', 'outbound'],
    example: 'outbound',
  })
  direction: string;

  @ApiProperty({
    type: 'string',
    enum: CALL_CHANNELS,
    description: '`phone`: over SIP. `web`: from a web page.',
    example: 'phone',
  })
  channel: string;

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` given at creation. Null for inbound calls.',
    example: { customer: 'c-4711' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    ...VARIABLES,
    description: 'The `variables` given at creation. Null for inbound calls.',
    example: null,
  })
  variables: Record<string, string | number | boolean> | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time at which the call was created.',
    example: '2026-01-02T03:04:05.432+00:00',
  })
  created_at: string;
}

/** Body of the pre-call webhook. */
export class PreCallEventDto extends OmitType(EventDto, ['sequence'] as const) {
  @ApiProperty({ type: 'string', enum: ['pre-call'], description: 'Type of the webhook.', example: 'pre-call' })
  type: 'pre-call';

  @ApiProperty({ type: 'string', enum: ['requested'], description: 'Event.', example: 'requested' })
  event: 'requested';

  @ApiProperty({ type: PreCallDataDto, description: 'The call.' })
  data: PreCallDataDto;
}

/** The answer to the pre-call webhook. Absent and null fields change nothing, and unknown fields are ignored. */
export class PreCallAnswerDto {
  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description:
      'ID of an active agent of the account that answers an inbound call instead of the agent of the number. `variables` and `agent_overrides` apply to it. For an outbound call the answer is invalid.',
    example: 2,
  })
  agent_id?: number | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    description: 'Values of variables. They replace those of the request.',
    example: { customer_name: 'Ada' },
  })
  variables?: Record<string, string | number | boolean> | null;

  @ApiPropertyOptional({
    type: AgentOverridesDto,
    nullable: true,
    description:
      'Settings of the agent that the call replaces, as in `POST /calls`. They replace those of the request.',
  })
  agent_overrides?: AgentOverridesDto | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 500,
    nullable: true,
    description:
      'Reason for not placing or answering the call. The call ends as `cancelled` with the hangup cause `skipped_by_webhook`, and its events keep the reason.',
    example: 'The customer has opted out.',
  })
  skip?: string | null;
}
