import {
  assignProblems,
  DEFAULT_BEHAVIOUR,
  DEFAULT_EVERY_SECONDS,
  MAX_ASSIGNED,
  MAX_WAIT_SECONDS,
  MIN_EVERY_SECONDS,
  PHRASE_LENGTH,
  type Phrases,
  PHRASES_PER_FIELD,
  phrasesProblems,
  type SayWhileWaiting,
  TOOL_MODES,
  type ToolBehaviour,
  type ToolMode,
  waitingOf,
  waitingProblems,
} from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { AsSent, IsOptionalOrBlank, must, ValidateParts } from '../http/validation/field-validators.js';

const phrases = {
  oneOf: [
    { type: 'string', maxLength: PHRASE_LENGTH },
    {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: PHRASE_LENGTH },
      minItems: 1,
      maxItems: PHRASES_PER_FIELD,
    },
  ],
};

const TAKES_TURNS = 'The texts of a list take turns from one use to the next.';

const BEFORE = {
  ...phrases,
  nullable: true,
  description: `Words that the agent speaks when it uses the tool, while the request is sent. ${TAKES_TURNS} \`""\`: silence. Null: the \`filler\` phrase of the agent, after 0.8 s of silence.`,
  example: 'Let me look that up.',
};
const ON_FAILURE = {
  ...phrases,
  nullable: true,
  description: `Words that the agent speaks after a failure, in place of an answer of the model. The model is told. ${TAKES_TURNS} Null: the model chooses its own words.`,
  example: 'I cannot reach our booking system at the moment.',
};
const WAITING_PROPERTIES = {
  after_seconds: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    description: 'Seconds from the use of the tool to the first words.',
    example: 4,
  },
  every_seconds: {
    type: 'integer',
    minimum: MIN_EVERY_SECONDS,
    maximum: MAX_WAIT_SECONDS,
    default: DEFAULT_EVERY_SECONDS,
    description: 'Minimum time in seconds between two of them.',
    example: 15,
  },
} as const;
const TEXT = {
  ...phrases,
  description: `The words. ${TAKES_TURNS}`,
  example: ['I am still looking.', 'This takes a moment longer.'],
};

const WHILE_WAITING = 'Words that the agent speaks while the tool runs and the line is silent. Null: none.';
const ASSIGN = {
  type: 'object',
  additionalProperties: { type: 'string' },
  nullable: true,
  description: `Variables of the call by JSON pointers (RFC 6901) into the answer, at most ${MAX_ASSIGNED}: \`{"booking_id": "/id"}\`. With one awaited action the pointers begin at its answer, with several at the object of the answers by action name. A text of up to 1,000 characters, a number or a boolean is assigned; otherwise the variable is null. Nothing is assigned after a failure. Null: none.`,
  example: { booking_id: '/id' },
} as const;
const PRIVATE = 'Whether the model gets the names of the assigned variables in place of the answer. It needs `assign`.';
const CONFIRM =
  'Whether the agent reads the arguments back and hears a yes before the tool runs. The model gets one more argument, `confirmed`.';

const MODE =
  '`background`: the conversation goes on at once, and the result reaches the agent in a later pause. With `{{callback.url}}` in a request, the endpoint reports it within 15 minutes; without it, the response of the request is the result.';

class SayWhileWaitingDto implements SayWhileWaiting {
  @ApiProperty(WAITING_PROPERTIES.after_seconds)
  after_seconds: number;

  @ApiProperty(WAITING_PROPERTIES.every_seconds)
  every_seconds: number;

  @ApiProperty(TEXT)
  text: Phrases;
}

/** A request may leave out `every_seconds`. */
class NewSayWhileWaitingDto {
  @ApiProperty(WAITING_PROPERTIES.after_seconds)
  after_seconds: number;

  @ApiPropertyOptional({ ...WAITING_PROPERTIES.every_seconds, nullable: true })
  every_seconds?: number | null;

  @ApiProperty(TEXT)
  text: Phrases;
}

/** The behaviour of a tool in a request. Null: the default. */
export class ToolBehaviourFields {
  @ApiPropertyOptional(BEFORE)
  @AsSent()
  @IsOptional()
  @ValidateParts('isSayBefore', (value, property) => phrasesProblems(value, property, true))
  say_before?: Phrases | null;

  @ApiPropertyOptional({ type: NewSayWhileWaitingDto, nullable: true, description: WHILE_WAITING })
  @AsSent()
  @IsOptional()
  @ValidateParts('isSayWhileWaiting', waitingProblems)
  say_while_waiting?: NewSayWhileWaitingDto | null;

  @ApiPropertyOptional(ON_FAILURE)
  @AsSent()
  @IsOptional()
  @ValidateParts('isSayOnFailure', (value, property) => phrasesProblems(value, property))
  say_on_failure?: Phrases | null;

  @ApiPropertyOptional(ASSIGN)
  @AsSent()
  @IsOptional()
  @ValidateParts('isAssign', assignProblems)
  assign?: Record<string, string> | null;

  @ApiPropertyOptional({ type: 'boolean', default: false, nullable: true, description: PRIVATE, example: false })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  private?: boolean | null;

  @ApiPropertyOptional({ type: 'boolean', default: false, nullable: true, description: CONFIRM, example: false })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  confirm?: boolean | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: TOOL_MODES,
    default: 'wait',
    nullable: true,
    description: MODE,
    example: 'wait',
  })
  @IsOptionalOrBlank()
  @IsIn(TOOL_MODES, { message: must.beOneOf })
  mode?: ToolMode | null;
}

/** The behaviour of a stored tool. */
export class ToolBehaviourDto implements ToolBehaviour {
  @ApiProperty(BEFORE)
  say_before: Phrases | null;

  @ApiProperty({ type: SayWhileWaitingDto, nullable: true, description: WHILE_WAITING })
  say_while_waiting: SayWhileWaitingDto | null;

  @ApiProperty(ON_FAILURE)
  say_on_failure: Phrases | null;

  @ApiProperty(ASSIGN)
  assign: Record<string, string> | null;

  @ApiProperty({ type: 'boolean', description: PRIVATE, example: false })
  private: boolean;

  @ApiProperty({ type: 'boolean', description: CONFIRM, example: false })
  confirm: boolean;

  @ApiProperty({ type: 'string', enum: TOOL_MODES, description: MODE, example: 'wait' })
  mode: ToolMode;
}

/** The given fields; null becomes the default. */
export function toBehaviour({ say_while_waiting: waiting, ...body }: ToolBehaviourFields): Partial<ToolBehaviour> {
  const given: { [Name in keyof ToolBehaviour]?: ToolBehaviour[Name] | null } = {
    ...{ say_before: body.say_before, say_while_waiting: waiting && waitingOf(waiting) },
    ...{ say_on_failure: body.say_on_failure, assign: body.assign },
    ...{ private: body.private, confirm: body.confirm, mode: body.mode },
  };
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value ?? DEFAULT_BEHAVIOUR[name as keyof ToolBehaviour]]),
  );
}
