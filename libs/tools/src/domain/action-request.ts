import { MAX_REQUEST_URL } from '@app/egress';
import { validateWebhookHeaders, type WebhookHeader } from '@app/webhooks';
import { PLACEHOLDER, type Placeholder } from './placeholders.js';
import type { AgentTool, QueryValue, ToolAction } from './tool.js';
import { asText, RenderedTooLarge, Rendering, type TemplateScope } from './template.js';

/** What is sent for an action, without the headers that every request has. */
export interface ActionRequest {
  method: ToolAction['method'];
  url: string;
  headers: WebhookHeader[];
  /** JSON; empty when there is none. */
  body: string;
}

/** What an action is about: `scope` has the arguments. */
export interface ActionSubject {
  tool: Pick<AgentTool, 'name'>;
  scope: TemplateScope;
}

/** The values cannot be put into the request; nothing was sent. The message names no value. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';

  constructor(
    readonly code: 'unusable_value' | 'request_too_large',
    message: string,
  ) {
    super(message);
  }
}

/** UTF-8 of a body; a payload has 16 KiB before its values are put in. */
export const MAX_BODY_BYTES = 256 * 1024;
const AUTHORITY = /^https?:\/\/[^/?#\\]*/i;

/**
 * Fills in the templates of an action.
 * - A payload is the body of POST, PUT and PATCH, and query of GET and DELETE, which have no body.
 * - Without a payload the body is `{tool, arguments, call_id, agent_id}`, the query of GET and DELETE the arguments.
 * - In a query a list of `query_params` is given once per element, other nested values as JSON; null and what is missing is left
 *   out; `query_params` go before payload and arguments of the same name.
 *
 * `headers`: of the action, in the clear. @throws UnusableRequest
 */
export function actionRequest(
  action: Pick<ToolAction, 'url' | 'method' | 'payload' | 'queryParams'>,
  headers: readonly WebhookHeader[],
  { tool, scope }: ActionSubject,
): ActionRequest {
  try {
    const rendering = new Rendering(scope, MAX_BODY_BYTES);
    const url = renderedUrl(action.url, rendering);
    const { args, call, agent } = scope;
    const named = action.payload === null ? undefined : fieldsOf(rendering.value(action.payload));
    const query = queryOf(action.queryParams ?? {}, rendering);
    const hasBody = action.method !== 'GET' && action.method !== 'DELETE';
    const given = { tool: tool.name, arguments: args, call_id: call?.id ?? null, agent_id: agent.id };
    return {
      method: action.method,
      url: withQuery(url, hasBody ? query : [...query, ...flatQuery(named ?? args, query)]),
      headers: renderedHeaders(headers, rendering),
      body: hasBody ? bodyOf(named ?? given) : '',
    };
  } catch (error) {
    if (error instanceof RenderedTooLarge) throw new UnusableRequest('request_too_large', error.message);
    throw error;
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;

/** Values are encoded, and none may change which resource is meant: the host is never a template. */
function renderedUrl(template: string, rendering: Rendering): string {
  const authority = AUTHORITY.exec(template)?.[0] ?? '';
  if (authority.search(PLACEHOLDER) >= 0) {
    throw new UnusableRequest('unusable_value', 'The host of a URL cannot be filled in.');
  }
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(template.slice(authority.length)) ?? [];
  const segments = path.split('/').map((segment) => renderedSegment(segment, rendering));
  return authority + segments.join('/') + rendering.text(rest, encoded);
}

/** `/users/{{args.id}}` with nothing for the id, or with `..`, would be another resource (WHATWG URL: `%2e%2e` is `..`, too). */
function renderedSegment(template: string, rendering: Rendering): string {
  const segment = rendering.text(template, (text, placeholder) => {
    if (text === '') throw unusable(placeholder, 'It is empty');
    return encoded(text);
  });
  if (segment !== template && /^(?:\.|%2e){1,2}$/i.test(segment)) {
    throw new UnusableRequest('unusable_value', 'A value makes the path of the URL lead elsewhere.');
  }
  return segment;
}

const unusable = ({ root, way }: Placeholder, why: string): UnusableRequest =>
  new UnusableRequest('unusable_value', `${why}, and the path of the URL needs it: ${[root, ...way].join('.')}.`);

/** By way of UTF-8: a lone surrogate becomes U+FFFD instead of an error. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

type Parameter = [name: string, value: string];

function queryOf(params: Record<string, QueryValue>, rendering: Rendering): Parameter[] {
  return Object.entries(params).flatMap(([name, template]) => {
    const value = rendering.value(template);
    return [value].flat().flatMap((item) => parameter(name, item));
  });
}

/** Fields that `taken` has not. */
function flatQuery(fields: Record<string, unknown>, taken: Parameter[]): Parameter[] {
  const names = new Set(taken.map(([name]) => name));
  return Object.entries(fields).flatMap(([name, value]) => (names.has(name) ? [] : parameter(name, value)));
}

const parameter = (name: string, value: unknown): Parameter[] =>
  value === null || value === undefined ? [] : [[name, asText(value)]];

function withQuery(url: string, query: Parameter[]): string {
  const [target = '', fragment] = url.split('#', 2);
  if (fragment !== undefined || query.length > 0) return withQueryAdded(target, query);
  return checkedLength(target);
}

/** What the URL brings along stays as it was written; a fragment is not sent. */
function withQueryAdded(url: string, query: Parameter[]): string {
  const added = new URLSearchParams(query).toString();
  if (added === '') return checkedLength(url);
  const joint = url.includes('?') ? (/[?&]$/.test(url) ? '' : '&') : '?';
  return checkedLength(url + joint + added);
}

function checkedLength(url: string): string {
  if (new URL(url).href.length <= MAX_REQUEST_URL) return url;
  throw new UnusableRequest('request_too_large', `The URL would be longer than ${MAX_REQUEST_URL} characters.`);
}

function renderedHeaders(headers: readonly WebhookHeader[], rendering: Rendering): WebhookHeader[] {
  const rendered = headers.map(({ key, value }) => ({ key, value: rendering.text(value) }));
  const problem = validateWebhookHeaders(rendered);
  if (problem) throw new UnusableRequest('unusable_value', problem);
  return rendered;
}

function bodyOf(value: unknown): string {
  const body = JSON.stringify(value);
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  throw new UnusableRequest('request_too_large', `The body would be larger than ${MAX_BODY_BYTES / 1024} KiB.`);
}
