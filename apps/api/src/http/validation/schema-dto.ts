import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { z } from 'zod';
import { AsSent } from './field-validators.js';

type JsonSchema = Record<string, unknown> & {
  anyOf?: JsonSchema[];
  type?: string;
  properties?: Record<string, JsonSchema>;
};

/**
 * A class of a request whose fields are those of a schema: the one description of their types, rules and texts (docs/decisions/0072). Swagger
 * documents it, and the service validates by the schema: a change over the record that it changes. Unknown fields are removed and reported:
 * nested ones by the service, those of the body by the validation pipe. `examples`: of each field, for Swagger UI.
 */
export function SchemaDto<T extends z.ZodObject>(
  schema: T,
  examples: { [Field in keyof z.input<T>]-?: unknown },
): new () => z.input<T> {
  class SchemaFields {}
  for (const [name, field] of Object.entries(schema.shape))
    schemaField(field as z.ZodType, examples[name as keyof z.input<T>])(SchemaFields.prototype, name);
  return SchemaFields as new () => z.input<T>;
}

function schemaField(schema: z.ZodType, example: unknown): PropertyDecorator {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const { required, ...property } = inOpenApi(json);
  const isRequired = !schema.safeParse(undefined).success;
  const options = {
    ...property,
    // For an object, `required` lists its own keys.
    ...(Array.isArray(required) ? { required, selfRequired: isRequired } : { required: isRequired }),
    example,
  };
  return applyDecorators(ApiProperty(options as ApiPropertyOptions), Allow(), AsSent());
}

/** `nullable` and no defaults, which PATCH does not set; `type` becomes a list when the document is complete. */
function inOpenApi({ default: _default, anyOf, ...json }: JsonSchema): JsonSchema {
  const [first, second] = anyOf ?? [];
  if (first && second?.type === 'null' && anyOf?.length === 2) return { ...inOpenApi(first), ...json, nullable: true };
  const properties = json.properties && Object.entries(json.properties).map(([name, one]) => [name, inOpenApi(one)]);
  const items = typeof json.items === 'object' && json.items !== null ? inOpenApi(json.items as JsonSchema) : undefined;
  const { additionalProperties, ...rest } = json;
  return {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(properties) } : {}),
    ...(items ? { items } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties } : {}),
  };
}
