import { announce } from './notices.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ApiError, ask } from './api.js';
import { fill, h } from './dom.js';
import { field, form } from './forms.js';
import { type FieldErrors, SchemaEditor } from './json-input.js';
import { ToolActionForm } from './tool-action-form.js';
import type { NewTool, Tool, ToolAction } from './types.js';
import { recordPage } from './agent-page.js';
import type { Page, Visit } from './router.js';

const NO_ARGUMENTS = { type: 'object', properties: {}, required: [] };
const MOST_ACTIONS = 10;

interface Saving {
  method: 'POST' | 'PATCH';
  path: ApiPath;
  /** Address of the tool list, shown after saving. */
  back: string;
}

/** The form for a new tool, or for `tool`. */
function toolForm(tool: Tool | undefined, { method, path, back }: Saving): HTMLElement {
  const inputs = inputsOf(tool);
  const schema = new SchemaEditor(tool?.parameters ?? NO_ARGUMENTS);
  const actions = new ActionList(tool?.webhook_actions);
  const send = async (): Promise<void> => {
    const body = readTool(inputs, schema, actions);
    await ask(method, path, { body });
    announce(`The tool ${body.name} was saved.`);
    location.hash = back;
  };
  return form(
    {
      label: tool ? `Edit ${tool.name}` : 'New tool',
      class: 'stack tool-form',
      submit: tool ? 'Save' : 'Create',
      busy: 'Saving…',
      send,
      cancel: back,
    },
    h(
      'div',
      { class: 'card stack' },
      field({ name: 'name', label: 'Name', input: inputs.name, hint: 'Lowercase letters, digits and underscores.' }),
      field({
        name: 'description',
        label: 'Description',
        input: inputs.description,
        hint: 'The agent decides by this text when to use the tool and what to ask first.',
      }),
      field({ name: 'is_active', label: 'In use', input: inputs.isActive }),
    ),
    h('div', { class: 'card' }, schema.node),
    actions.node,
  );
}

interface ToolInputs {
  name: HTMLInputElement;
  description: HTMLTextAreaElement;
  isActive: HTMLInputElement;
}

function inputsOf(tool: Tool | undefined): ToolInputs {
  const name = h('input', {
    name: 'name',
    value: tool?.name ?? '',
    maxlength: 64,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    placeholder: 'find_order',
  });
  const description = h('textarea', { name: 'description', rows: 3, maxlength: 4_000 });
  description.value = tool?.description ?? '';
  const isActive = h('input', { name: 'is_active', type: 'checkbox', checked: tool?.is_active ?? true });
  return { name, description, isActive };
}

/** Throws ApiError with the fields that are not valid JSON. */
function readTool({ name, description, isActive }: ToolInputs, schema: SchemaEditor, actions: ActionList): NewTool {
  const errors: FieldErrors = {};
  const body: NewTool = {
    name: name.value.trim(),
    description: description.value,
    is_active: isActive.checked,
    parameters: schema.json.read(errors) ?? NO_ARGUMENTS,
    webhook_actions: actions.read(errors),
  };
  if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
  return body;
}

/** The requests of a tool, in their order. */
class ActionList {
  private forms: ToolActionForm[] = [];
  private readonly list = h('div', { class: 'stack' });
  private readonly add = h('button', { type: 'button', onclick: () => this.append().focus() }, 'Add a request');
  readonly node = h(
    'section',
    { class: 'card stack', 'data-field': 'webhook_actions', 'aria-label': 'Requests' },
    h('h2', null, 'Requests'),
    h('p', { class: 'hint' }, 'Requests to your systems when the agent uses the tool, in this order.'),
    h('p', { class: 'field-error' }),
    this.list,
    h('div', { class: 'actions' }, this.add),
  );

  constructor(actions: readonly (ToolAction | undefined)[] = [undefined]) {
    for (const action of actions) this.append(action);
  }

  read(errors: FieldErrors): NewTool['webhook_actions'] {
    return this.forms.map((one, index) => one.read(index, errors));
  }

  private append(action?: ToolAction): ToolActionForm {
    const one: ToolActionForm = new ToolActionForm(action, {
      remove: () => {
        this.forms = this.forms.filter((other) => other !== one);
        this.show();
        this.add.focus();
      },
      moveUp: () => {
        const at = this.forms.indexOf(one);
        this.forms.splice(at - 1, 2, one, ...this.forms.slice(at - 1, at));
        this.show();
        one.focus();
        announce(`The request is now number ${at}.`);
      },
    });
    this.forms.push(one);
    this.show();
    return one;
  }

  private show(): void {
    fill(
      this.list,
      this.forms.map(({ node }) => node),
    );
    this.forms.forEach((one, index) => one.place(index));
    this.add.disabled = this.forms.length >= MOST_ACTIONS;
  }
}

const pathOf = (agent: string): ApiPath => apiPath`agents/${agent}/tools`;
const placeOf = (agent: string): string => `#/tools/${agent}`;

/** The page that creates a tool. */
export function openNewTool({ params, signal }: Visit): Page {
  const { agent = '' } = params;
  const back = placeOf(agent);
  const form = toolForm(undefined, { method: 'POST', path: pathOf(agent), back });
  const load = (): Promise<HTMLElement> => Promise.resolve(form);
  return recordPage({ title: 'New tool', back, backLabel: 'Tools', what: 'the form', load }, signal);
}

/** The page that edits a tool. */
export function openTool({ params, signal }: Visit): Page {
  const { agent = '', id = '' } = params;
  const [path, back] = [apiPath`${pathOf(agent)}/${id}`, placeOf(agent)];
  const load = async (): Promise<HTMLElement> => {
    const { data } = await ask<{ data: Tool }>('GET', path, { signal });
    return toolForm(data, { method: 'PATCH', path, back });
  };
  return recordPage({ title: 'Edit tool', back, backLabel: 'Tools', what: 'the tool', load }, signal);
}
