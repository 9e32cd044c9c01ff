import { h } from './dom.js';
import { span, words } from './format.js';
import { icon } from './icons.js';
import { jsonBlock } from './page-parts.js';
import { pill } from './pills.js';
import { timeOf } from './times.js';
import type { ToolCall } from './types.js';

/** What the tools of the agent were asked, and every request that was made for it. */
export const toolCallView = (call: ToolCall): HTMLElement =>
  h(
    'li',
    { class: 'card tight' },
    h(
      'header',
      { class: 'split' },
      h('strong', null, icon('tool'), words(call.tool)),
      call.ok === null ? pill('processing', 'Running') : pill(call.ok ? 'succeeded' : 'failed'),
    ),
    h('p', { class: 'muted small' }, timeOf(call.started_at), call.ended_at === null ? '' : ` · ${tookOf(call)}`),
    h(
      'ul',
      { class: 'actions-of' },
      call.actions.map((action) => actionView(action)),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Arguments and result'),
      jsonBlock('Arguments', call.arguments),
      jsonBlock('Result', call.result),
    ),
  );

const tookOf = ({ started_at, ended_at }: ToolCall): string =>
  span(Date.parse(ended_at ?? started_at) - Date.parse(started_at));

function actionView({ name, method, url, outcome, error, attempts }: ToolCall['actions'][number]): HTMLElement {
  const last = attempts.at(-1);
  const answer =
    last &&
    `${last.status ?? 'no answer'} in ${span(last.latency_ms)}${attempts.length > 1 ? `, try ${attempts.length}` : ''}`;
  return h(
    'li',
    null,
    h('span', { class: 'split' }, h('span', null, name), pill(outcome)),
    h('code', { class: 'small' }, `${method} ${url}`),
    h('span', { class: 'muted small' }, sentenceOf(error) ?? last?.error ?? answer ?? 'Not sent yet'),
  );
}

const sentenceOf = (error: ToolCall['actions'][number]['error']): string | undefined =>
  typeof error?.['message'] === 'string' ? error['message'] : undefined;
