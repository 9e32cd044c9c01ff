import { INVOCATION_STATES, type InvocationFilter, type InvocationState, type ListedInvocationView } from '@app/tools';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ListLinksDto, ListMetaDto } from '../calls/call.dto.js';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { parseDateOrTime } from '../http/is-date-or-time.js';
import { FromTimeFilter, IntegerFromText, CallIdFilter, EnumFilter, ToTimeFilter } from '../http/list-filters.js';
import { IsRecordId } from '../http/validators.js';
import { ToolCallDto } from './tool-call.dto.js';

const CALL_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11';

export class ListInvocationsDto extends PickType(ListCallsDto, ['page', 'per_page', 'pagination', 'cursor'] as const) {
  @CallIdFilter('Invocations')
  call_id?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Invocations of this tool.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  tool_id?: number;

  @EnumFilter(INVOCATION_STATES, 'Invocations in this state.')
  state?: InvocationState;

  @FromTimeFilter('Invocations')
  date_from?: string;

  @ToTimeFilter('Invocations')
  date_to?: string;
}

export const invocationFilterOf = (dto: ListInvocationsDto): InvocationFilter => ({
  callId: dto.call_id,
  toolId: dto.tool_id,
  state: dto.state,
  from: dto.date_from === undefined ? undefined : parseDateOrTime(dto.date_from, 'start'),
  to: dto.date_to === undefined ? undefined : parseDateOrTime(dto.date_to, 'end'),
});

class InvokedToolDto extends PickType(ToolCallDto, [
  'invocation_id',
  'tool_id',
  'tool',
  'tool_call_id',
  'started_at',
  'ended_at',
] as const) {
  @ApiProperty({ type: 'integer', description: 'The agent, which may have been deleted since.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'The call; null outside of one.',
    example: CALL_ID,
  })
  call_id: string | null;
}

class ListedInvocationDto extends InvokedToolDto implements ListedInvocationView {
  @ApiProperty({
    type: 'string',
    enum: ['call', 'invoke', 'simulation'],
    description: 'Where it was invoked.',
    example: 'call',
  })
  source: ListedInvocationView['source'];

  @ApiProperty({
    type: 'string',
    enum: INVOCATION_STATES,
    description:
      '`failed`: one of its actions that were waited for did, or the process that ran it died; the latter is known after ten minutes.',
    example: 'succeeded',
  })
  state: InvocationState;
}

export class InvocationListDto {
  @ApiProperty({ type: [ListedInvocationDto], description: 'The invocations of this page, newest first.' })
  data: ListedInvocationDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Where this page lies in the list.' })
  meta: ListMetaDto;
}

/** One, with everything that was sent. */
class ToolInvocationDto extends ToolCallDto {
  @ApiProperty({ type: 'integer', description: 'The agent, which may have been deleted since.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'The call; null outside of one.',
    example: CALL_ID,
  })
  call_id: string | null;
}

export class FoundInvocationDto {
  @ApiProperty({ type: ToolInvocationDto, description: 'The invocation.' })
  data: ToolInvocationDto;
}
