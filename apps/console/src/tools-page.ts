import { agentPage } from './agent-page.js';
import { apiPath, type ApiPath } from './api-path.js';
import { ApiError, ask, curl } from './api.js';
import { commandLine } from './buttons.js';
import { fill, h } from './dom.js';
import { plural, span } from './format.js';
import { keyedList, PageSteps, recordActions } from './lists.js';
import { announce, emptyState, type Trouble } from './notices.js';
import type { Agent, JsonSchema, ListOf, Tool, ToolRun } from './types.js';
import { field, form, type Input, option } from './forms.js';
import { icon } from './icons.js';
import { jsonBlock, pill } from './page-parts.js';

const PER_PAGE = 25;

export const openTools = agentPage({
  title: 'Tools',
  lead: 'Requests to your systems that agents can make during a call.',
  place: 'tools',
  show: toolsOf,
});

async function toolsOf(agent: Agent, signal: AbortSignal, trouble: Trouble): Promise<HTMLElement> {
  const path = apiPath`agents/${agent.id}/tools`;
  const list = h('ul', { class: 'plain stack', 'aria-label': 'Tools' });
  const count = h('span', { class: 'muted' });
  const show = keyedList<Tool>(list, {
    keyOf: ({ id }) => String(id),
    make: (tool) => h('li', null, toolCard(tool, { path, edit: `#/tools/${agent.id}/${tool.id}`, signal, onChange })),
    empty: () => h('li', { class: 'card' }, nothing(agent)),
  });
  const pages = new PageSteps('Pages of tools', turnTo);
  let page = 1;
  const load = async (): Promise<void> => {
    const answer = await ask<ListOf<Tool>>('GET', path, { query: { per_page: PER_PAGE, page }, signal });
    const { data, meta } = answer;
    if (page > meta.last_page) return turnTo(meta.last_page);
    show(data);
    fill(count, plural(meta.total, 'tool'));
    pages.show(answer);
  };
  function onChange(): void {
    trouble.clear();
    load().catch((error: unknown) => {
      if (!signal.aborted) trouble.show(error);
    });
  }
  function turnTo(another: number): void {
    page = another;
    onChange();
  }
  await load();
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'split' },
      count,
      h('a', { class: 'button primary', href: `#/tools/${agent.id}/new` }, 'New tool'),
    ),
    list,
    pages.node,
  );
}

function nothing({ id }: Agent): HTMLElement {
  const example = {
    name: 'get_weather',
    description: 'Returns the weather. Use it when the user asks about the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string', description: 'Where.' } }, required: ['city'] },
    webhook_actions: [{ name: 'weather', url: 'https://example.com/weather', method: 'POST' }],
  };
  return emptyState(
    'tool',
    'This agent has no tools yet',
    h(
      'p',
      null,
      'A tool has a name, a JSON Schema and the requests that it makes. ',
      h('a', { href: `#/tools/${id}/new` }, 'Create one here'),
      ', or from a program:',
    ),
    commandLine(curl('POST', apiPath`agents/${id}/tools`, example)),
  );
}

interface Parts {
  /** Path of the agent's tools in the API. */
  path: ApiPath;
  /** Address of the page that edits it. */
  edit: string;
  signal: AbortSignal;
  onChange: () => void;
}

/** A tool with its requests, and a form to try it. */
function toolCard(tool: Tool, { path, edit, signal, onChange }: Parts): HTMLElement {
  const outcome = h('div', { class: 'outcome' });
  const inputs = schemaInputs(tool.parameters);
  const send = async (): Promise<void> => {
    outcome.replaceChildren();
    const body = { arguments: inputs.read() };
    const { data } = await ask<{ data: ToolRun }>('POST', apiPath`${path}/${tool.id}/invoke`, { body, signal });
    announce(data.ok ? `${tool.name} succeeded.` : `${tool.name} failed.`);
    fill(outcome, runView(data));
  };
  return h(
    'article',
    { class: 'card tool', 'data-tool': tool.name },
    h(
      'header',
      { class: 'split' },
      h('h2', null, icon('tool'), h('code', null, tool.name)),
      tool.is_active ? pill('up', 'In use') : pill('cancelled', 'Not in use'),
    ),
    h('p', null, tool.description),
    h(
      'ul',
      { class: 'actions-of' },
      tool.webhook_actions.map(({ name, method, url, wait_response: waits }) =>
        h(
          'li',
          null,
          h(
            'span',
            null,
            name,
            h('span', { class: 'muted small' }, waits ? ' · waits for the response' : ' · in the background'),
          ),
          h('code', { class: 'small' }, `${method} ${url}`),
        ),
      ),
    ),
    h(
      'details',
      { class: 'try' },
      h('summary', null, 'Try it'),
      h('p', { class: 'hint' }, icon('warn'), 'The requests are really sent, as in a call.'),
      form({ label: `Try ${tool.name}`, submit: 'Run', busy: 'Running…', send }, ...inputs.nodes),
      outcome,
    ),
    ...recordActions({ path: apiPath`${path}/${tool.id}`, edit, title: tool.name, isActive: tool.is_active, onChange }),
  );
}

function runView({ ok, actions, result, invocation_id: id }: ToolRun): HTMLElement {
  return h(
    'div',
    { class: 'card tight', 'data-role': 'run' },
    h('div', { class: 'split' }, h('strong', null, ok ? 'It worked' : 'It failed'), pill(ok ? 'succeeded' : 'failed')),
    h(
      'ul',
      { class: 'actions-of' },
      actions.map((action) =>
        h(
          'li',
          null,
          h('span', { class: 'split' }, h('span', null, action.name), pill(action.outcome)),
          h('span', { class: 'muted small' }, action.error?.message ?? answerOf(action)),
        ),
      ),
    ),
    jsonBlock('Result for the agent', result),
    h('p', { class: 'muted small' }, 'Invocation ', h('code', null, id)),
  );
}

const answerOf = ({ method, status, latency_ms: latency, outcome }: ToolRun['actions'][number]): string =>
  outcome === 'queued'
    ? 'Delivered in the background, with retries'
    : `${method}: ${status ?? 'no answer'}${latency === null ? '' : ` in ${span(latency)}`}`;

interface SchemaInputs {
  nodes: HTMLElement[];
  /** The arguments; what was left empty is absent. Throws ApiError where JSON was asked for and something else was given. */
  read: () => Record<string, unknown>;
}

/** An input for each property of an object schema. Values other than text, number and boolean are entered as JSON. */
function schemaInputs({ properties = {}, required = [] }: JsonSchema): SchemaInputs {
  const inputs = Object.entries(properties).map(([name, schema]) => ({ name, schema, input: inputFor(schema) }));
  const nodes = inputs.map(({ name, schema, input }) =>
    field({
      name: `arguments.${name}`,
      label: required.includes(name) ? name : `${name} (optional)`,
      input,
      hint: hintOf(schema),
    }),
  );
  const read = (): Record<string, unknown> => {
    const given = inputs.map(({ name, schema, input }) => [name, valueOf(name, schema, input)] as const);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  };
  return { nodes, read };
}

function inputFor(schema: JsonSchema): Input {
  if (schema.enum)
    return h(
      'select',
      null,
      option('', '–'),
      schema.enum.map((one) => option(JSON.stringify(one), String(one))),
    );
  switch (schema.type) {
    case 'boolean':
      return h('select', null, option('', '–'), option('true', 'Yes'), option('false', 'No'));
    case 'integer':
    case 'number':
      return h('input', { inputmode: 'decimal', autocomplete: 'off' });
    case 'string':
      return h('input', { autocomplete: 'off' });
    default:
      return h('textarea', { rows: 3, spellcheck: 'false', placeholder: schema.type === 'array' ? '[]' : '{}' });
  }
}

function hintOf({ description, minimum, maximum, type }: JsonSchema): string {
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '';
  const isJson = !['string', 'integer', 'number', 'boolean'].includes(type ?? '');
  return [description, range, isJson && 'As JSON.'].filter(Boolean).join(' ');
}

/** As typed: the API validates it. */
function valueOf(name: string, schema: JsonSchema, { value }: Input): unknown {
  if (value === '') return undefined;
  if (schema.type === 'string' && !schema.enum) return value;
  if ((schema.type === 'integer' || schema.type === 'number') && !schema.enum)
    return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    const sentence = 'This is not JSON.';
    throw new ApiError(422, sentence, { [`arguments.${name}`]: [sentence] });
  }
}
