import { recordPage } from './agent-page.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import type { Page, Visit } from './router.js';
import { toolForm } from './tool-form.js';
import type { Tool } from './types.js';

const pathOf = (agent: string): ApiPath => apiPath`agents/${agent}/tools`;
const placeOf = (agent: string): string => `#/tools/${agent}`;

/** The page where a tool is made. */
export function openNewTool({ params, signal }: Visit): Page {
  const { agent = '' } = params;
  const back = placeOf(agent);
  const form = toolForm(undefined, { method: 'POST', path: pathOf(agent), back });
  const load = (): Promise<HTMLElement> => Promise.resolve(form);
  return recordPage({ title: 'New tool', back, backLabel: 'Tools', what: 'the form', load }, signal);
}

/** The page where a tool is changed. */
export function openTool({ params, signal }: Visit): Page {
  const { agent = '', id = '' } = params;
  const [path, back] = [apiPath`${pathOf(agent)}/${id}`, placeOf(agent)];
  const load = async (): Promise<HTMLElement> => {
    const { data } = await ask<{ data: Tool }>('GET', path, { signal });
    return toolForm(data, { method: 'PATCH', path, back });
  };
  return recordPage({ title: 'Edit tool', back, backLabel: 'Tools', what: 'the tool', load }, signal);
}
