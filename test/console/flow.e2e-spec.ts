import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { ConsoleBrowser } from '../support/console-browser.js';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { openStoryConsole } from '../support/story-console.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

const RULES = [
  { on: { text: 'I am (\\w+)' }, call: { tool: 'continue_flow', arguments: { customer: '{{match.1}}' } } },
  { on: { digits: '1' }, call: { tool: 'continue_flow', arguments: { customer: 'Ada' } } },
  { on: 'entered', step: 'goodbye', say: 'Bye.' },
];

withChromium('the flow of an agent in the console', () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;

  const me = () => service.as(own.token);
  const stored = async (): Promise<Record<string, unknown>> =>
    ((await me().get(`/api/v1/agents/${own.agentId}`).expect(200)).body as { data: Record<string, unknown> }).data;
  const field = (name: string): string => `[data-part=flow] [data-field="flow.steps.${name}"]`;
  const put = (name: string, text: string): Promise<void> => browser.type(`${field(name)} :is(input, textarea)`, text);
  const choose = async (name: string, label: string): Promise<void> => {
    const options = `[...document.querySelectorAll('${field(name)} option')]`;
    const value = await browser.look<string>(`${options}.find((one) => one.innerText === '${label}').value`);
    await browser.select(`${field(name)} select`, value);
  };
  const save = (): Promise<void> => browser.press('.agent-form [type=submit]');
  const node = (name: string): string => `.flow-editor [data-step="${name}"]`;

  beforeAll(async () => {
    ({ own, browser } = await openStoryConsole(service));
    await me()
      .patch(`/api/v1/agents/${own.agentId}`)
      .send({ name: 'Clinic', greeting: 'The clinic.', script: { rules: RULES } })
      .expect(200);
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  it('is built by forms, and a renamed step is renamed in its exits', async () => {
    await browser.go(`/agents/${own.agentId}`, 'Clinic');
    await browser.press('[data-act=add-step]');
    await browser.untilExists(node('start'));
    await browser.press('[data-act=add-step]');
    await browser.untilExists(node('step_2'));
    await browser.select(`${field('1.kind')} select`, 'end');
    await browser.press(node('start'));
    await put('0.instructions', 'Find out who is calling.');
    await browser.press('.flow-step [data-act=add-value]');
    await browser.type('[name="flow.steps.0.collect.properties.0.name"]', 'customer');
    await browser.press('.flow-step [data-act=add-exit]');
    await choose('0.exits.0.to', 'step_2');
    await browser.select(`${field('0.exits.0.by')} select`, 'if');
    await put('0.exits.0.if', 'vars.customer ==');
    await browser.press(node('step_2'));
    await put('1.name', 'goodbye');
    await browser.untilExists(node('goodbye'));
    expect(await browser.violations()).toEqual([]);
  });

  it('shows an error of the API at its field, and marks the step in the graph', async () => {
    // The other step is shown: the error leads back to its own.
    await save();
    await browser.untilExists(`${node('start')}[aria-pressed=true]`);
    await browser.untilText(node('start'), '1 error');
    await browser.untilMatches(`${field('0.exits.0.if')} .field-error`, /\S/);
    await browser.until(`document.activeElement.closest('[data-field="flow.steps.0.exits.0.if"]')`);
    expect(await browser.violations()).toEqual([]);
    await put('0.exits.0.if', 'vars.customer != null');
    await save();
    await browser.untilText('[aria-live]', 'is published');
    expect((await stored())['flow']).toEqual({
      start: 'start',
      steps: [
        {
          name: 'start',
          instructions: 'Find out who is calling.',
          collect: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
          exits: [{ to: 'goodbye', if: 'vars.customer != null' }],
        },
        { name: 'goodbye', action: { end: true } },
      ],
    });
  });

  it('shows the values of a test conversation', async () => {
    // The page reads the saved agent again.
    await browser.settled();
    await browser.type('[data-part=trial] [name=says]', 'I am Ada');
    await browser.press('[data-part=trial] [type=submit]');
    await browser.untilText('[data-part=trial-flow]', 'Ada');
    expect(await browser.text('[data-part=trial-flow]')).toMatch(/Step: goodbye after start\s+customer\s+Ada/);
  });

  it('shows the path, the values and the graph of a call', async () => {
    const call = await LiveCall.place(service, own, 'press_1');
    await call.ended();
    await browser.look(`location.hash = '#/calls/${call.id}'`);
    await browser.untilMatches(
      '[data-part=flow] [aria-label=Path]',
      /start\s+0:0\d[\s\S]*goodbye\s+0:[01]\d, exit 1: an expression was true/,
    );
    await browser.untilMatches(
      '[data-part=flow] [aria-label="Collected values"]',
      /customer\s+Ada\s+turn \d+ of the user, in start/,
    );
    await browser.untilMatches('[data-part=flow] [data-step=goodbye]', /2/);
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    expect(await browser.overhang()).toBeLessThanOrEqual(0);
    await browser.go(`/agents/${own.agentId}`, 'Clinic');
    await browser.untilExists(node('start'));
    expect(await browser.overhang()).toBeLessThanOrEqual(0);
    await browser.size(1280, 900);
  });

  it('removes a step with the exits that lead to it, and the flow with its last step', async () => {
    await browser.press(node('goodbye'));
    await browser.press('[data-act=remove-step]');
    await browser.until(`!document.querySelector('${node('goodbye')}')`);
    expect(
      await browser.look(`document.querySelectorAll('.flow-step [data-field="flow.steps.0.exits"] li').length`),
    ).toBe(0);
    await browser.press('[data-act=remove-step]');
    await browser.untilText('[data-act=add-step]', 'Add a flow');
    await save();
    await browser.untilText('[aria-live]', 'is published');
    expect((await stored())['flow']).toBeNull();
    expect(browser.complaints).toEqual([]);
  });
});
