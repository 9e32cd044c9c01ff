import { announce } from './announce.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import { fill, h } from './dom.js';
import { span } from './format.js';
import { form } from './forms.js';
import { icon } from './icons.js';
import { jsonBlock } from './page-parts.js';
import { pill } from './pills.js';
import { recordActions } from './record-actions.js';
import { schemaInputs } from './schema-inputs.js';
import type { Tool, ToolRun } from './types.js';

interface Parts {
  /** Of the agent's tools in the API. */
  path: ApiPath;
  /** Of the page where it is changed. */
  edit: string;
  signal: AbortSignal;
  onChange: () => void;
}

/** A tool, what it takes and what it sends, with a form to try it. */
export function toolCard(tool: Tool, { path, edit, signal, onChange }: Parts): HTMLElement {
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
            h('span', { class: 'muted small' }, waits ? ' · waits for the answer' : ' · in the background'),
          ),
          h('code', { class: 'small' }, `${method} ${url}`),
        ),
      ),
    ),
    h(
      'details',
      { class: 'try' },
      h('summary', null, 'Try it'),
      h('p', { class: 'hint' }, icon('warn'), 'For real: the requests are sent, as if an agent had asked for them.'),
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
    jsonBlock('What the agent gets', result),
    h('p', { class: 'muted small' }, 'Invocation ', h('code', null, id)),
  );
}

const answerOf = ({ method, status, latency_ms: latency, outcome }: ToolRun['actions'][number]): string =>
  outcome === 'queued'
    ? 'Delivered in the background, with retries'
    : `${method}: ${status ?? 'no answer'}${latency === null ? '' : ` in ${span(latency)}`}`;
