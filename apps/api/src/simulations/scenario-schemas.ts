import { scenarioJsonSchema } from '@app/sandbox';
import type { OpenAPIObject } from '@nestjs/swagger';

export const SCENARIO = 'Scenario';

/** Adds the schema that `readScenario` validates with, so that document and validation are the same. */
export function withScenario(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(scenarioJsonSchema()).replaceAll('#/$defs/', '#/components/schemas/');
  const { $defs, $schema: _dialect, ...scenario } = JSON.parse(text) as Record<string, object>;
  const parts = Object.entries($defs ?? {}).map(([name, { id: _id, ...part }]: [string, { id?: string }]) => [
    name,
    part,
  ]);
  const description = 'A conversation as a test tells it.';
  Object.assign((document.components ??= {}), {
    schemas: { ...document.components.schemas, [SCENARIO]: { description, ...scenario }, ...Object.fromEntries(parts) },
  });
  return document;
}
