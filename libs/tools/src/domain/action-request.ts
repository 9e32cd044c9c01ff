import { newId, secureNamesIn, type Encryption, type SecureValues, withSecureValues } from '@app/common';
import { MAX_REQUEST_URL } from '@app/egress';
import { validateWebhookHeaders, type WebhookHeader } from '@app/webhooks';
import { decryptActionHeaders } from './action-headers.js';
import {
  PLACEHOLDER,
  type Placeholder,
  asText,
  RenderedTooLarge,
  TemplateRenderer,
  type TemplateScope,
} from './template.js';
import type { AgentTool, QueryValue, ToolAction, InvocationContext } from './tool.js';

/** The HTTP request of an action, without the headers of the service. */
export interface ActionRequest {
  method: ToolAction['method'];
  url: string;
  headers: WebhookHeader[];
  /** JSON; empty: no body. */
  body: string;
}

/** The tool of an action, and the values of its templates. */
interface ActionSubject {
  tool: Pick<AgentTool, 'name'>;
  scope: TemplateScope;
}

/** The secret digits that a request needs, by name. @throws InvalidActionRequest when the user has not entered them */
function secretsOf({ url, headers, body }: ActionRequest, known: SecureValues = new Map()): SecureValues {
  const names = [url, body, ...headers.map(({ value }) => value)].flatMap(secureNamesIn);
  const missing = names.find((name) => !known.has(name));
  if (missing === undefined) return new Map(names.map((name) => [name, known.get(name) ?? '']));
  throw new InvalidActionRequest('unusable_value', `The caller has not entered the digits ${missing} in this call.`);
}

/** The request as it is sent. */
export const openedRequest = (request: ActionRequest, secrets: SecureValues): ActionRequest => ({
  ...request,
  url: withSecureValues(request.url, secrets),
  headers: request.headers.map(({ key, value }) => ({ key, value: withSecureValues(value, secrets) })),
  body: withSecureValues(request.body, secrets),
});

/** The values do not result in a valid request; nothing was sent. The message contains no value. */
export class InvalidActionRequest extends Error {
  override readonly name = 'InvalidActionRequest';

  constructor(
    readonly code: 'unusable_value' | 'request_too_large',
    message: string,
  ) {
    super(message);
  }
}

/** UTF-8 bytes of a rendered body; the payload template has at most 16 KiB. */
export const MAX_BODY_BYTES = 256 * 1024;
const AUTHORITY = /^https?:\/\/[^/?#\\]*/i;

/**
 * Renders the templates of an action.
 * - A payload is the body of POST, PUT and PATCH, and the query of GET and DELETE, which have no body.
 * - Without a payload the body is `{tool, arguments, call_id, agent_id}` (`callback_url` with a background tool), the query of GET and DELETE the arguments.
 * - In the query, a list of `query_params` becomes one parameter per element, other nested values become JSON, null and missing values
 *   are left out. `query_params` take precedence over payload and arguments of the same name.
 *
 * `headers`: the decrypted headers of the action. @throws InvalidActionRequest
 */
export function actionRequest(
  action: Pick<ToolAction, 'url' | 'method' | 'payload' | 'queryParams'>,
  headers: readonly WebhookHeader[],
  { tool, scope }: ActionSubject,
): ActionRequest {
  try {
    const rendering = new TemplateRenderer(scope, MAX_BODY_BYTES);
    const url = renderUrl(action.url, rendering);
    const { args, call, agent, callback } = scope;
    const named = action.payload === null ? undefined : fieldsOf(rendering.value(action.payload));
    const query = queryOf(action.queryParams ?? {}, rendering);
    const hasBody = action.method !== 'GET' && action.method !== 'DELETE';
    const given = {
      tool: tool.name,
      arguments: args,
      call_id: call?.id ?? null,
      agent_id: agent.id,
      ...(callback && { callback_url: callback.url }),
    };
    return {
      method: action.method,
      url: withQuery(url, hasBody ? query : [...query, ...flatQuery(named ?? args, query)]),
      headers: renderHeaders(headers, rendering),
      body: hasBody ? bodyOf(named ?? given) : '',
    };
  } catch (error) {
    if (error instanceof RenderedTooLarge) throw new InvalidActionRequest('request_too_large', error.message);
    throw error;
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;

/** Values are encoded and cannot change the resource that is addressed; the host is never a template. */
function renderUrl(template: string, rendering: TemplateRenderer): string {
  const authority = AUTHORITY.exec(template)?.[0] ?? '';
  if (authority.search(PLACEHOLDER) >= 0) {
    throw new InvalidActionRequest('unusable_value', 'The host of a URL cannot be filled in.');
  }
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(template.slice(authority.length)) ?? [];
  const segments = path.split('/').map((segment) => renderSegment(segment, rendering));
  return authority + segments.join('/') + rendering.text(rest, encode);
}

/** `/users/{{args.id}}` with an empty id, or with `..`, would address another resource (WHATWG URL: `%2e%2e` is `..` as well). */
function renderSegment(template: string, rendering: TemplateRenderer): string {
  const segment = rendering.text(template, (text, placeholder) => {
    if (text === '') throw unusable(placeholder, 'It is empty');
    return encode(text);
  });
  if (segment !== template && /^(?:\.|%2e){1,2}$/i.test(segment)) {
    throw new InvalidActionRequest('unusable_value', 'A value makes the path of the URL lead elsewhere.');
  }
  return segment;
}

const unusable = ({ root, way }: Placeholder, why: string): InvalidActionRequest =>
  new InvalidActionRequest('unusable_value', `${why}, and the path of the URL needs it: ${[root, ...way].join('.')}.`);

/** Converted to UTF-8 first: a lone surrogate becomes U+FFFD instead of an error. */
const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

type Parameter = [name: string, value: string];

function queryOf(params: Record<string, QueryValue>, rendering: TemplateRenderer): Parameter[] {
  return Object.entries(params).flatMap(([name, template]) => {
    const value = rendering.value(template);
    return [value].flat().flatMap((item) => parameter(name, item));
  });
}

/** The fields whose names are not in `taken`. */
function flatQuery(fields: Record<string, unknown>, taken: Parameter[]): Parameter[] {
  const names = new Set(taken.map(([name]) => name));
  return Object.entries(fields).flatMap(([name, value]) => (names.has(name) ? [] : parameter(name, value)));
}

const parameter = (name: string, value: unknown): Parameter[] =>
  value === null || value === undefined ? [] : [[name, asText(value)]];

function withQuery(url: string, query: Parameter[]): string {
  const [target = '', fragment] = url.split('#', 2);
  if (fragment !== undefined || query.length > 0) return withQueryAdded(target, query);
  return checkLength(target);
}

/** Keeps the query of the URL as it was written; a fragment is not sent. */
function withQueryAdded(url: string, query: Parameter[]): string {
  const added = new URLSearchParams(query).toString();
  if (added === '') return checkLength(url);
  const joint = url.includes('?') ? (/[?&]$/.test(url) ? '' : '&') : '?';
  return checkLength(url + joint + added);
}

function checkLength(url: string): string {
  if (new URL(url).href.length <= MAX_REQUEST_URL) return url;
  throw new InvalidActionRequest('request_too_large', `The URL would be longer than ${MAX_REQUEST_URL} characters.`);
}

function renderHeaders(headers: readonly WebhookHeader[], rendering: TemplateRenderer): WebhookHeader[] {
  const rendered = headers.map(({ key, value }) => ({ key, value: rendering.text(value) }));
  const problem = validateWebhookHeaders(rendered);
  if (problem) throw new InvalidActionRequest('unusable_value', problem);
  return rendered;
}

function bodyOf(value: unknown): string {
  const body = JSON.stringify(value);
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  throw new InvalidActionRequest('request_too_large', `The body would be larger than ${MAX_BODY_BYTES / 1024} KiB.`);
}

/** An action with its request, or with the error that prevents it. */
export interface PreparedAction {
  id: string;
  position: number;
  action: ToolAction;
  request: ActionRequest | InvalidActionRequest;
  /** The secret digits of the request, which contains references to them. */
  secrets: SecureValues;
}

/** Renders the requests of a tool, in list order. Throws when headers were encrypted with another SECRET_KEY. */
export function prepareActions(
  encryption: Encryption,
  tool: AgentTool,
  args: Record<string, unknown>,
  context: InvocationContext,
  callback: { url: string } | null = null,
): PreparedAction[] {
  const scope = { ...scopeOf(args, context), callback };
  return tool.actions.map((action, index) => {
    const headers = decryptActionHeaders(encryption, action).map(({ key, value }) => ({ key, value }));
    const opened = requestOf(action, headers, { tool, scope }, context.secure);
    return { id: newId(), position: index + 1, action, ...opened };
  });
}

/** The API and the default body name the id of the call `call_id`. */
const scopeOf = (
  args: Record<string, unknown>,
  { call, metadata, agent, variables }: InvocationContext,
): TemplateScope => ({
  args,
  vars: variables?.all() ?? {},
  call: call && { ...call, call_id: call.id },
  metadata,
  agent,
  callback: null,
});

function requestOf(
  action: ToolAction,
  headers: readonly WebhookHeader[],
  subject: ActionSubject,
  known: SecureValues | undefined,
): Pick<PreparedAction, 'request' | 'secrets'> {
  try {
    const request = actionRequest(action, headers, subject);
    return { request, secrets: secretsOf(request, known) };
  } catch (error) {
    if (error instanceof InvalidActionRequest) return { request: error, secrets: new Map() };
    throw error;
  }
}
