import {
  COMMAND_STATUSES,
  COMMAND_TYPES,
  QUEUED_TYPES,
  type CommandInput,
  type CommandType,
  commandFieldErrors,
  MAX_COMMAND_DIGITS,
  MAX_NOTE,
  MAX_SAY_TEXT,
  MAX_SET_VARIABLES,
  parseDestination,
  SAY_WHEN,
} from '@app/calls';
import { TRANSFER_MODES } from '@app/agents';
import { InvalidFields } from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { AsSent, IsOptionalOrBlank, must, Trimmed } from '../../http/validation/field-validators.js';
import { IntegerFromText } from '../../http/validation/list-filters.js';
import { IsE164, IsVariables } from '../requests/call-validators.js';
import { VARIABLES } from '../requests/call-values.dto.js';

const MAX_COMMANDS = 100;
const MAX_NUMBER = 2_147_483_647;

export class CallCommandDto {
  @ApiProperty({
    type: 'string',
    enum: COMMAND_TYPES,
    description:
      '`say`: the agent speaks `text`. `inject`: a note for the model of the agent, which is not spoken. `set_variables`: new values for variables of the agent. `mute_agent`, `unmute_agent`: the agent neither speaks nor answers while it is muted. `send_dtmf`: sends keys. `transfer`: connects the remote party with another number. `cancel_transfer`: gives up a transfer before the remote party is connected. `hang_up`: ends the call. `pause_recording`, `resume_recording`: silence in the recording and no words in the transcript in between.',
    example: 'say',
  })
  @IsIn(COMMAND_TYPES, { message: must.beOneOf })
  type: CommandType;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_SAY_TEXT,
    nullable: true,
    description: 'Required for `say`: the words that the agent speaks.',
    example: 'Your technician has just arrived at your street.',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_SAY_TEXT, { message: must.beShort(MAX_SAY_TEXT) })
  @IsString({ message: must.beText })
  @Trimmed()
  text?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: SAY_WHEN,
    nullable: true,
    description:
      'Of `say`. `next_pause` (default): when neither side speaks. `now`: interrupts the agent, and speaks over the user.',
    example: 'next_pause',
  })
  @IsOptionalOrBlank()
  @IsIn(SAY_WHEN, { message: must.beOneOf })
  when?: CommandInput['when'] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_NOTE,
    nullable: true,
    description: 'Required for `inject`: the note. Write it as an instruction or a fact for the agent.',
    example: 'The order was found: it left the warehouse at nine.',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_NOTE, { message: must.beShort(MAX_NOTE) })
  @IsString({ message: must.beText })
  @Trimmed()
  note?: string | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Of `inject`: whether the agent speaks about the note at once. Default: false.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  respond?: boolean | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    maxProperties: MAX_SET_VARIABLES,
    description: 'Required for `set_variables`: values of variables that the agent declares.',
    example: { customer_name: 'Ada' },
  })
  @AsSent()
  @IsOptional()
  @IsVariables()
  variables?: Record<string, string | number | boolean> | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_COMMAND_DIGITS,
    pattern: '^[0-9*#A-Da-d]+$',
    nullable: true,
    description: 'Required for `send_dtmf`: the keys `0` to `9`, `*`, `#`, `A` to `D`.',
    example: '12#',
  })
  @IsOptionalOrBlank()
  @Matches(/^[0-9*#A-D]+$/i, { message: 'The digits field must contain only 0 to 9, *, # and A to D.' })
  @MaxLength(MAX_COMMAND_DIGITS, { message: must.beShort(MAX_COMMAND_DIGITS) })
  @IsString({ message: must.beText })
  digits?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 40,
    nullable: true,
    description: 'Of `transfer`: E.164 number. Default: the transfer number of the call.',
    example: '+15550002222',
  })
  @IsOptionalOrBlank()
  @IsE164({ message: must.beE164 })
  phone_number?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 64,
    nullable: true,
    description: 'Of `transfer`: name of the only destination that is tried. Default: all destinations of the call.',
    example: 'support',
  })
  @IsOptionalOrBlank()
  @MaxLength(64, { message: must.beShort(64) })
  @IsString({ message: must.beText })
  destination?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: TRANSFER_MODES,
    nullable: true,
    description: 'Of `transfer`: how it is made. Default: the setting of the call.',
    example: 'warm',
  })
  @IsOptionalOrBlank()
  @IsIn(TRANSFER_MODES, { message: must.beOneOf })
  mode?: CommandInput['mode'] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 1_000,
    nullable: true,
    description: 'Of a warm `transfer`: the briefing of the person. Default: a summary of the conversation.',
    example: 'Ada Lovelace has a question about her invoice.',
  })
  @IsOptionalOrBlank()
  @MaxLength(1_000, { message: must.beShort(1_000) })
  @IsString({ message: must.beText })
  @Trimmed()
  summary?: string | null;
}

/** These bodies work for a call of the demo workspace that is in progress. */
export const CALL_COMMAND_EXAMPLES = {
  say: {
    summary: 'The agent says something',
    value: { type: 'say', text: 'Your technician has just arrived at your street.' },
  },
  inject: {
    summary: 'The agent learns something and speaks about it',
    value: { type: 'inject', note: 'The order was found: it left the warehouse at nine.', respond: true },
  },
  variables: {
    summary: 'A variable of the agent gets a value',
    value: { type: 'set_variables', variables: { customer_name: 'Ada' } },
  },
  mute: { summary: 'The agent is muted', value: { type: 'mute_agent' } },
  keys: { summary: 'Keys are sent', value: { type: 'send_dtmf', digits: '12#' } },
  transfer: { summary: 'The call is transferred', value: { type: 'transfer', phone_number: '+15550002222' } },
  warmTransfer: {
    summary: 'The call is transferred after a briefing',
    value: { type: 'transfer', phone_number: '+15550002222', mode: 'warm', summary: 'Ada asks about her invoice.' },
  },
  hangUp: { summary: 'The call ends', value: { type: 'hang_up' } },
};

/** Throws InvalidFields for missing fields and for fields of other types. */
export function toCommand({ type, phone_number, ...dto }: CallCommandDto): { type: CommandType; input: CommandInput } {
  const destination = phone_number ? parseDestination(phone_number) : undefined;
  const input: CommandInput = {
    ...(dto.text != null && { text: dto.text }),
    ...(dto.when != null && { when: dto.when }),
    ...(dto.note != null && { note: dto.note }),
    ...(dto.respond != null && { respond: dto.respond }),
    ...(dto.variables != null && { variables: dto.variables }),
    ...(dto.digits != null && { digits: dto.digits.toUpperCase() }),
    ...(dto.destination != null && { destination: dto.destination }),
    ...(dto.mode != null && { mode: dto.mode }),
    ...(dto.summary != null && { summary: dto.summary }),
    ...(destination?.kind === 'e164' && { phone_number: destination.address }),
  };
  const problems = commandFieldErrors(type, input);
  if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
  return { type, input };
}

export class CallCommandsQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_NUMBER,
    description: 'Returns commands after the one with this number.',
    example: 0,
  })
  @IntegerFromText()
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_NUMBER) })
  @Max(MAX_NUMBER, { message: must.beBetween(0, MAX_NUMBER) })
  @IsInt({ message: must.beInteger })
  after?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_COMMANDS,
    default: MAX_COMMANDS,
    description: 'Maximum number of commands in the response.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_COMMANDS) })
  @Max(MAX_COMMANDS, { message: must.beBetween(1, MAX_COMMANDS) })
  @IsInt({ message: must.beInteger })
  per_page?: number;
}

export const commandPlace = ({ after, per_page }: CallCommandsQueryDto): { after: number; limit: number } => ({
  after: after ?? 0,
  limit: per_page ?? MAX_COMMANDS,
});

class CommandErrorDto {
  @ApiProperty({ type: 'string', description: 'Code of the reason.', example: 'interrupted' })
  code: string;

  @ApiProperty({ type: 'string', description: 'The reason as a sentence.', example: 'The user interrupted the words.' })
  message: string;
}

class CommandDto {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'ID of the command.' })
  command_id: string;

  @ApiProperty({ type: 'string', format: 'uuid', description: 'ID of the call.' })
  call_id: string;

  @ApiProperty({ type: 'integer', description: 'Number of the command in the call, from 1.', example: 1 })
  number: number;

  @ApiProperty({
    type: 'string',
    enum: QUEUED_TYPES,
    description: 'Type of the command. `tool_result`: queued by the callback of a background tool.',
    example: 'say',
  })
  type: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The other fields of the request. Empty after retention deleted the transcript of the call.',
    example: { text: 'Your technician has just arrived at your street.' },
  })
  input: object;

  @ApiProperty({
    type: 'string',
    enum: COMMAND_STATUSES,
    description:
      '`pending`: waits for the commands before it. `running`: is being executed. `done`: took effect. `failed`: did not succeed, see `error`. `not_executed`: had no effect, see `error`.',
    example: 'done',
  })
  status: string;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'Time of the request.' })
  created_at: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Start of the execution.' })
  started_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the command took effect. For `say`: when the last of its audio was sent to the phone.',
  })
  effective_at: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'End of the execution.' })
  finished_at: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Details of the outcome, such as `played_ms` and `text` of `say`.',
    example: { played_ms: 2140, text: 'Your technician has just arrived at your street.' },
  })
  result: object | null;

  @ApiProperty({ type: CommandErrorDto, nullable: true, description: 'Why the command failed or was not executed.' })
  error: CommandErrorDto | null;
}

export class CommandQueuedDto {
  @ApiProperty({ type: 'string', description: 'Human-readable result.', example: 'Command queued.' })
  message: string;

  @ApiProperty({ type: CommandDto, description: 'The command.' })
  data: CommandDto;
}

export class FoundCommandDto {
  @ApiProperty({ type: CommandDto, description: 'The command.' })
  data: CommandDto;
}

class CommandListMetaDto {
  @ApiProperty({ type: 'integer', description: 'Maximum number of commands in the response.', example: 100 })
  per_page: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Value of `after` for the next request. Null: there are no more commands.',
    example: null,
  })
  next_after: number | null;
}

export class CommandListDto {
  @ApiProperty({ type: [CommandDto], description: 'Commands in their order.' })
  data: CommandDto[];

  @ApiProperty({ type: CommandListMetaDto, description: 'Position for the next request.' })
  meta: CommandListMetaDto;
}
