import { CALL_EVENT_TYPES, type CallEventField, type CallEventType } from '@app/calls';
import { ApiProperty, ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { must } from '../../http/validation/field-validators.js';
import { EnumFilter, IntegerFromText } from '../../http/validation/list-filters.js';

export const MAX_EVENTS = 100;
const MAX_SEQ = 2_147_483_647;

export class CallEventsQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_SEQ,
    description: 'Returns events after the one with this number. `Last-Event-ID` takes precedence.',
    example: 0,
  })
  @IntegerFromText()
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_SEQ) })
  @Max(MAX_SEQ, { message: must.beBetween(0, MAX_SEQ) })
  @IsInt({ message: must.beInteger })
  after?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_EVENTS,
    default: MAX_EVENTS,
    description: 'Maximum number of events in a JSON page. Streams ignore it.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_EVENTS) })
  @Max(MAX_EVENTS, { message: must.beBetween(1, MAX_EVENTS) })
  @IsInt({ message: must.beInteger })
  per_page?: number;

  @EnumFilter(
    ['true', 'false'],
    'With `true`, the stream also sends the words of running turns as `turn_words` events. JSON pages ignore it.',
  )
  words?: 'true' | 'false';
}

class CallEventsMetaDto {
  @ApiProperty({ type: 'integer', description: 'Maximum number of events on a page.', example: 100 })
  per_page: number;

  @ApiProperty({ type: 'integer', description: 'Value of `after` for the next page.', example: 7 })
  next_after: number;

  @ApiProperty({
    type: 'boolean',
    description:
      'Whether the call has ended and all events were returned. Until then, poll again after about one second.',
    example: false,
  })
  complete: boolean;
}

export class CallEventPageDto {
  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/CallEvent' },
    description: 'Events in order.',
  })
  data: object[];

  @ApiProperty({ type: CallEventsMetaDto, description: 'Position for the next page.' })
  meta: CallEventsMetaDto;
}

/** The event of a stream that is not stored. */
export const TURN_WORDS = 'turn_words';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];

const TYPES = Object.entries<CallEventType>(CALL_EVENT_TYPES);
const NAME = 'CallEvent';

const nameOf = (type: string): string =>
  `${NAME}${type.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`;
const refTo = (type: string): string => `#/components/schemas/${nameOf(type)}`;

/** Adds `CallEvent` and the schema of each of its types, generated from the table that the presenter uses. */
export function withCallEvents(document: OpenAPIObject): OpenAPIObject {
  const union: Schema = {
    description: 'An event of a call. New types may be added; ignore unknown types.',
    oneOf: TYPES.map(([type]) => ({ $ref: refTo(type) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(TYPES.map(([type]) => [type, refTo(type)])),
    },
  };
  const schemas: Schemas = Object.fromEntries(TYPES.map(([type, one]) => [nameOf(type), schemaOf(type, one)]));
  Object.assign((document.components ??= {}), {
    schemas: { ...document.components.schemas, [NAME]: union, ...schemas, CallTurnWords: wordsSchema() },
  });
  return document;
}

function schemaOf(type: string, { description, fields }: CallEventType): Schema {
  const required = Object.entries(fields).filter(([, field]) => !field.optional);
  return {
    type: 'object',
    description,
    required: ['seq', 'type', 'at', 'data'],
    properties: {
      seq: {
        type: 'integer',
        description: 'Number of the event in the call, used as `id:`. Increases, with gaps.',
        example: 7,
      },
      type: { type: 'string', enum: [type], description: 'Type of the event, used as `event:`.', example: type },
      at: {
        type: 'string',
        format: 'date-time',
        description: 'Time of the event.',
        example: '2026-01-02T03:04:06.100+00:00',
      },
      data: {
        type: 'object',
        description: 'Fields of this event type.',
        required: required.map(([name]) => name),
        properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
      },
    },
  };
}

/** Like a `turn_started` event with the words, and without a number. */
function wordsSchema(): Schema {
  const { turn, role, started_ms: startedMs } = CALL_EVENT_TYPES.turn_started.fields;
  const text: CallEventField = {
    type: 'string',
    description: 'The words so far; they replace the words of the previous event of the turn.',
    example: 'Your parcel',
  };
  const fields = { turn, role, text, started_ms: startedMs };
  const numbered = schemaOf(TURN_WORDS, { description: '', fields }) as { properties: Record<string, Schema> };
  const { seq: _, ...properties } = numbered.properties;
  return {
    type: 'object',
    description:
      'The words of a running turn, in streams only: about 2.5 times a second while they are spoken or recognised. The event has no ' +
      'number and is not stored; the `turn` event with the same `turn` replaces it. It may arrive before `turn_started`.',
    required: ['type', 'at', 'data'],
    properties,
  };
}

function fieldSchema({ type, items, values, nullable, description, example }: CallEventField): Schema {
  return {
    ...(type !== 'any' && { type }),
    ...(items && { items: { type: items } }),
    ...(values && { enum: [...values] }),
    ...(nullable && { nullable }),
    description,
    example,
  };
}
