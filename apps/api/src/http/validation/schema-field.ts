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
 * A body field whose rules and description are those of a schema, which the service validates. Nested unknown fields are removed and
 * reported by the service, those of the body by the validation pipe.
 */
export function SchemaField(schema: z.ZodType, example: unknown): PropertyDecorator {
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
