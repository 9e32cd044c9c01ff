import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import type { Operation, Schema } from './api-document.js';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  components: { schemas: Record<string, Schema> };
}

/** Errors of the body, which the service answers before it knows that a route takes none. */
const OF_ANY_BODY = ['400', '413', '415'];

/** What openapi.json promises about answers: status, type and schema, in which a field that it does not name is an error. */
export class AnswerContract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

  constructor() {
    formats.default(this.ajv);
    for (const schema of Object.values(this.document.components.schemas)) close(schema);
    this.ajv.addSchema(this.document, 'api');
  }

  /** What is wrong with an answer, or undefined. */
  problem(operation: Operation, answer: Answer, hadBody: boolean): string | undefined {
    const { status, headers } = answer;
    if (status >= 500) return `${status}: ${answer.body}`;
    if (!/^[\w.-]{8,128}$/.test(String(headers['x-request-id']))) return 'It has no X-Request-Id.';
    if (headers['x-content-type-options'] !== 'nosniff') return 'It lacks the headers of security.';
    const documented = operation.responses[status];
    if (!documented) {
      if (hadBody && OF_ANY_BODY.includes(String(status))) return undefined;
      return `The status ${status} is not documented: ${answer.body}`;
    }
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    const types = Object.keys(documented.content ?? {});
    if (types.length === 0) return answer.body === '' || status === 416 ? undefined : `${status} has a body: ${type}`;
    if (!types.includes(type)) return `${status} is ${type}, not ${types.join(' or ')}.`;
    return type === 'application/json' ? this.bodyProblem(operation, answer) : undefined;
  }

  private bodyProblem({ path, method, name }: Operation, { status, body }: Answer): string | undefined {
    const key = `${name} ${status}`;
    const validate = this.compiled.get(key) ?? this.ajv.compile({ $ref: this.pointer(path, method, status) });
    this.compiled.set(key, validate);
    if (validate(JSON.parse(body))) return undefined;
    return `${status} is not as documented: ${this.ajv.errorsText(validate.errors)} in ${body.slice(0, 2_000)}`;
  }

  /** The schema of a response, which is in the operation or in the components. */
  private pointer(path: string, method: string, status: number): string {
    const shared = this.document.paths[path]?.[method]?.responses[status]?.$ref;
    const response = shared ?? `#/${['paths', path, method, 'responses', String(status)].map(escaped).join('/')}`;
    return `api${response}/content/${escaped('application/json')}/schema`;
  }
}

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Objects that list their fields have no others. */
function close(schema: Schema): void {
  if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  for (const inner of Object.values(schema) as unknown[]) {
    if (typeof inner !== 'object' || inner === null) continue;
    if (Array.isArray(inner)) for (const one of inner) if (typeof one === 'object' && one !== null) close(one);
    if (!Array.isArray(inner)) close(inner);
  }
}
