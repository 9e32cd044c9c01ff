import type { Acting } from '@app/audit';
import type { Scope } from '@app/auth';
import { argumentProblems, type JsonSchema } from '@app/json-schema';
import { HttpException } from '@nestjs/common';
import { Conflict, InvalidFields, NotFound } from '@app/common';
import { validationPipe } from '../http/validation/validation.js';

/** The client of one request. */
export interface McpCaller {
  who: Acting;
  scopes: readonly Scope[];
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  traceParent?: string;
  /** The public address of the service, without a final slash. */
  base: string;
}

/** A tool of the MCP server of this service. It does what the route of the API with the same scope does. */
export interface ServedTool {
  name: string;
  title: string;
  description: string;
  /** Without it, a token neither sees nor uses the tool. */
  scope: Scope;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean };
  /** @returns the structured result. */
  run: (args: Record<string, unknown>, caller: McpCaller) => Promise<Record<string, unknown>>;
}

/** Reads and changes nothing outside of the account's records. */
export const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** An object schema for arguments; unknown names are errors, which a model can correct. */
export const objectOf = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** An object schema for results, which may have further fields in a later release. */
export const resultOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const AN_ID = { type: 'integer', minimum: 1 } as const;
export const A_RECORD = { type: 'object' } as const;
export const RECORDS = { type: 'array', items: A_RECORD } as const;

const pipe = validationPipe();

/** The DTO of a route from arguments, by the rules of the route. @throws InvalidFields */
export const dtoOf = async <T>(metatype: new () => T, args: Record<string, unknown>): Promise<T> =>
  (await pipe.transform(args, { type: 'body', metatype })) as T;

/** Arguments of a request as text, as a query string carries them. */
export const asQuery = (args: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));

/** Runs a tool after its arguments fit its input schema. @throws InvalidFields */
export async function runTool(tool: ServedTool, args: Record<string, unknown>, caller: McpCaller) {
  const problems = argumentProblems(tool.inputSchema, args);
  if (problems) throw new InvalidFields({ arguments: problems });
  return tool.run(args, caller);
}

/** An error for the model as a text with one line per field; undefined: the error is ours. */
export function errorText(error: unknown): string | undefined {
  if (error instanceof InvalidFields) {
    const lines = Object.entries(error.fields).flatMap(([field, problems]) =>
      problems.map((problem) => (field === 'arguments' ? problem : `${field}: ${problem}`)),
    );
    return ['The arguments are invalid.', ...lines].join('\n');
  }
  if (error instanceof NotFound || error instanceof Conflict) return error.message;
  return error instanceof HttpException && error.getStatus() < 500 ? error.message : undefined;
}
