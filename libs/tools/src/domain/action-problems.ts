import { type FieldErrors, type FieldProblem, withCode } from '@app/common';
import { urlFault, type UrlRules } from '@app/egress';
import { isJsonObject, jsonLimitProblem } from '@app/json-schema';
import { headerProblems } from '@app/webhooks';
import {
  ACTIONS_PER_TOOL,
  PAYLOAD_BYTES,
  PAYLOAD_DEPTH,
  QUERY_LIST_ITEMS,
  QUERY_NAME_LENGTH,
  QUERY_PARAMS,
  QUERY_VALUE_LENGTH,
} from './limits.js';
import { actionHeaders } from './action-headers.js';
import type { NewAction } from './tool.js';
import { PLACEHOLDER, placeholderProblem } from './template.js';

type Add = (path: string, problem: FieldProblem | undefined) => void;

/** The problems of well-formed actions by field, such as `webhook_actions.0.url`. */
export function actionProblems(actions: readonly NewAction[], urls: UrlRules): FieldErrors {
  const errors: FieldErrors = {};
  if (actions.length > ACTIONS_PER_TOOL) {
    return {
      webhook_actions: [
        withCode('too_many', `The webhook actions field must not have more than ${ACTIONS_PER_TOOL} items.`),
      ],
    };
  }
  actions.forEach((action, index) => {
    const add: Add = (path, problem) => {
      if (problem) (errors[`webhook_actions.${index}.${path}`] ??= []).push(problem);
    };
    const isTaken = actions.slice(0, index).some(({ name }) => name === action.name);
    add('name', isTaken ? SAME_NAME : undefined);
    add('url', templateUrlProblem(action.url, urls));
    addPayload(action, add);
    addHeaders(action, add);
    addQuery(action, add);
  });
  return errors;
}

const SAME_NAME = withCode('duplicate', 'Each action of a tool must have another name: its result is found by it.');

/** Two different values for placeholders: if a placeholder affects the host, the two hosts differ. */
const SAMPLES = ['a1', 'b2'];

/** Arguments must not choose the host of a request. */
function templateUrlProblem(url: string, rules: UrlRules): FieldProblem | undefined {
  const [filled = '', otherwise = ''] = SAMPLES.map((sample) => url.replace(PLACEHOLDER, sample));
  const problem = placeholderProblem(url) ?? urlFault(filled, rules);
  if (filled === url || (problem === undefined && new URL(filled).origin === new URL(otherwise).origin)) return problem;
  // A placeholder before the path is the cause of any other problem.
  if (/^[^/?#]*(?:\/\/+[^/?#]*)?\{\{/.test(url) || problem === undefined) {
    return withCode(
      'invalid_format',
      'Placeholders may stand in the path and the query of the URL, not in its scheme, host or port.',
    );
  }
  return problem;
}

function addPayload({ payload }: NewAction, add: Add): void {
  if (payload === null) return;
  const extent = jsonLimitProblem(payload, { bytes: PAYLOAD_BYTES, depth: PAYLOAD_DEPTH });
  if (extent) return add('payload', withCode('too_long', `The payload ${extent}.`));
  for (const [path, text] of textsIn(payload, 'payload')) add(path, placeholderProblem(text));
}

/** All strings in a JSON value with their paths. */
function textsIn(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, `${path}.${key}`));
}

function addHeaders(action: NewAction, add: Add): void {
  const headers = actionHeaders(action);
  for (const { place, problem } of headerProblems(headers)) {
    add(place ? `headers.${headers[place.index]?.key}` : 'headers', problem);
  }
  for (const { key, value } of headers) {
    // The key of the invocation, the same for every attempt.
    const isOurs = key.toLowerCase() === 'idempotency-key';
    add(`headers.${key}`, isOurs ? `The header ${key} is set by the service.` : placeholderProblem(value));
  }
}

function addQuery({ queryParams }: NewAction, add: Add): void {
  const params = Object.entries(queryParams ?? {});
  if (params.length > QUERY_PARAMS) {
    return add(
      'query_params',
      withCode('too_many', `The query params field must not have more than ${QUERY_PARAMS} parameters.`),
    );
  }
  for (const [name, value] of params) add(`query_params.${name}`, parameterProblem(name, value));
}

/** `value` is unknown because the nested JSON was not validated before. */
function parameterProblem(name: string, value: unknown): FieldProblem | undefined {
  if (name === '' || name.length > QUERY_NAME_LENGTH) {
    return `The name of a parameter must have 1 to ${QUERY_NAME_LENGTH} characters.`;
  }
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > QUERY_LIST_ITEMS)
    return withCode('too_many', `The parameter must not have more than ${QUERY_LIST_ITEMS} values.`);
  if (items.some((item) => Array.isArray(item) || isJsonObject(item))) {
    return withCode(
      'wrong_type',
      'The parameter must be a string, a number, true, false or null, or an array of them.',
    );
  }
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.some((text) => text.length > QUERY_VALUE_LENGTH)) {
    return withCode('too_long', `The parameter must not be longer than ${QUERY_VALUE_LENGTH} characters.`);
  }
  return texts.map(placeholderProblem).find(Boolean);
}
