import { isUuid, NotFound } from '@app/common';
import type { PathTable, RecordPlace } from '@app/database';
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Param,
  type PipeTransform,
} from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';

/** Record ids are PostgreSQL `integer` columns. */
export const MAX_RECORD_ID = 2_147_483_647;

/** A record that the path of a route names. */
interface NamedRecord {
  /** The parameter with its id. */
  param: string;
  table: PathTable;
  /** Name in the 404 message ("Agent"). */
  name: string;
  parse: (text: string) => number | string | undefined;
}

/**
 * The integer id of a record in the path. A malformed id returns the same 404 as an unknown one, and so does a request for an unknown
 * record with invalid content (`recordOfPath`).
 * Not a pipe: the global validation pipe runs first and turns `01`, `1e0` and `0x1` into 1.
 */
export const PathId = (param: string, name: string, table: PathTable): ParameterDecorator =>
  namesRecord(
    { param, table, name, parse: parseRecordId },
    createParamDecorator((_data: unknown, context: ExecutionContext): number => {
      const { params } = context.switchToHttp().getRequest<Request>();
      const id = parseRecordId(String(params[param]));
      if (id === undefined) throw new NotFound(name);
      return id;
    })(),
  );

/** The UUID of a record in the path, with the same answers as `PathId`. */
export const PathUuid = (param: string, name: string, table: PathTable): ParameterDecorator =>
  namesRecord({ param, table, name, parse: parseUuid }, Param(param, new UuidPipe(name)));

/** Adds the record to those of the handler. */
function namesRecord(record: NamedRecord, injectId: ParameterDecorator): ParameterDecorator {
  return (target, method, index) => {
    injectId(target, method, index);
    const handler = Reflect.get(target, method ?? '') as object;
    // The decorators of parameters are applied from the last one to the first.
    Reflect.defineMetadata(NAMED_RECORDS, [record, ...namedRecords(handler)], handler);
  };
}

class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly recordName: string) {}

  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound(this.recordName);
    return value;
  }
}

const NAMED_RECORDS = 'named-records';

/** The records that the path of a handler names, from the outermost to the innermost. */
const namedRecords = (handler: object): readonly NamedRecord[] =>
  (Reflect.getMetadata(NAMED_RECORDS, handler) ?? []) as readonly NamedRecord[];

/** Undefined for text that cannot be a record id. */
function parseRecordId(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id < 1 || id > MAX_RECORD_ID ? undefined : id;
}

const parseUuid = (text: string): string | undefined => (isUuid(text) ? text : undefined);

export interface PathRecord {
  name: string;
  /** Undefined: an id in the path is malformed. */
  place: RecordPlace | undefined;
}

/** The innermost record of a request's path. Undefined for a handler whose path names none. */
export function recordOfPath(handler: object, params: Readonly<Record<string, unknown>>): PathRecord | undefined {
  const records = namedRecords(handler);
  const record = records.at(-1);
  if (!record) return undefined;
  const idOf = ({ param, parse }: NamedRecord): number | string | undefined => parse(String(params[param]));
  const agent = records.slice(0, -1).find(({ table }) => table === 'agents');
  const [id, agentId] = [idOf(record), agent && idOf(agent)];
  if (id === undefined || (agent && typeof agentId !== 'number')) return { name: record.name, place: undefined };
  return { name: record.name, place: { table: record.table, id, agentId: agentId as number | undefined } };
}

export const AgentId = (): ParameterDecorator => PathId('agent_id', 'Agent', 'agents');
export const KnowledgeBaseId = (): ParameterDecorator => PathId('id', 'Knowledge base', 'knowledge_bases');

const schema = { type: 'integer', minimum: 1 } as const;

/** Swagger UI prefills agent 1, the agent of the demo workspace. */
export const ApiAgentId = (): ClassDecorator & MethodDecorator =>
  ApiParam({
    name: 'agent_id',
    description: 'ID of the agent, active or inactive.',
    schema: { ...schema, example: 1 },
  });

export const ApiKnowledgeBaseId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the knowledge base.', schema });

/** The header that makes retries safe. `body`: what the key covers; `effect`: of a repetition. */
export const ApiIdempotencyKey = ({ body = 'body', effect = 'creates nothing' } = {}): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Makes retries safe for 24 hours. A request with the same key and ${body} returns the first response (with \`Idempotent-Replayed: true\`) and ${effect}. A request with the same key and another body returns 409.`,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });

/** The id of the call in the path. */
export const CallId = (): ParameterDecorator => PathUuid('callId', 'Call', 'calls');

/** The path parameter of routes below `calls/:callId`. */
export const ApiCallId = (): MethodDecorator =>
  ApiParam({ name: 'callId', description: 'The `call_id` of the call.', schema: { type: 'string', format: 'uuid' } });

/** The parameters of a link signed by CallLinksService. */
export const ApiSignedLink = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'signature', description: 'Signature of the link.', schema: { type: 'string' } }),
    ApiQuery({ name: 'expires', description: 'Expiry of the link in Unix seconds.', schema: { type: 'integer' } }),
    ApiCallId(),
  );
