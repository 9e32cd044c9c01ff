import { CALL_EVENT_TYPES, type CallEventField, type CallEventType } from '@app/calls';
import type { OpenAPIObject } from '@nestjs/swagger';

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
    description: 'An event of a call. Types may be added: skip the unknown ones.',
    oneOf: TYPES.map(([type]) => ({ $ref: refTo(type) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(TYPES.map(([type]) => [type, refTo(type)])),
    },
  };
  const schemas: Schemas = Object.fromEntries(TYPES.map(([type, one]) => [nameOf(type), schemaOf(type, one)]));
  Object.assign((document.components ??= {}), {
    schemas: { ...document.components.schemas, [NAME]: union, ...schemas },
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
      seq: { type: 'integer', description: 'Place in the call, the `id:` of the event. Grows, with gaps.', example: 7 },
      type: { type: 'string', enum: [type], description: 'Type of the event, the `event:`.', example: type },
      at: {
        type: 'string',
        format: 'date-time',
        description: 'Time of the event.',
        example: '2026-01-02T03:04:06.100+00:00',
      },
      data: {
        type: 'object',
        description: 'Fields of the type.',
        required: required.map(([name]) => name),
        properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
      },
    },
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
